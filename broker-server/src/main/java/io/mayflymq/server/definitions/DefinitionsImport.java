package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.definitions.DefinitionsCheck.Finding;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One import. First everything is checked against the broker, which gives a list of steps and a
 * list of problems. If it is strict, the steps are carried out only if there is no problem; else
 * what has a problem has no step and is named in the report. They are carried out in stages: a step
 * finds what it depends on in force, since that is of an earlier stage. The steps of a stage are
 * requested at once, so that they share writes, and in a cluster round trips. Existing objects that
 * differ are not changed, and unsupported ones are not created: both are named in the report.
 *
 * <p>Of a large stage a part is requested at a time: that is enough to share writes, bounds memory,
 * and leaves room between the parts for what clients ask.
 *
 * <p>The broker may change between check and step. A step that fails for that reason is named in
 * the report too, and the others are still carried out. If the broker cannot make changes, as its
 * disk is full or no majority of its cluster agrees, the import ends with that part and fails.
 */
final class DefinitionsImport {
  private static final int MOST_AT_ONCE = 5_000;

  /** What is carried out together, in this order. */
  private enum Stage {
    /** Virtual hosts, users and global parameters. */
    FOUNDATIONS,
    /** Permissions, limits, parameters, policies and exchanges. */
    RULES,
    QUEUES,
    /** The automatic dead letter queues of queues that do not have the setting any more. */
    DEAD_LETTER_QUEUES,
    BINDINGS
  }

  /**
   * A change.
   *
   * @param remark why the object is reported as skipped although the step succeeds; null if it is
   *     imported
   */
  private record Step(String label, String remark, Supplier<CompletableFuture<?>> action) {
    String outcome() {
      return remark == null ? null : label + ": " + remark;
    }
  }

  private final Broker broker;
  private final Administration administration;
  private final PolicyDefinitions policies;
  private final Definitions definitions;
  private final Actor actor;
  private final Map<Stage, List<Step>> steps = new EnumMap<>(Stage.class);
  private final List<String> skipped;
  private int imported;
  private final List<String> problems;
  private final boolean strict;

  /**
   * Creates the import.
   *
   * @param strict whether it fails if one definition is invalid
   * @param actor who imports
   */
  DefinitionsImport(
      Broker broker,
      Administration administration,
      PolicyDefinitions policies,
      Definitions definitions,
      boolean strict,
      Actor actor) {
    this.actor = actor;
    this.strict = strict;
    this.broker = broker;
    this.administration = administration;
    this.policies = policies;
    this.definitions = definitions;
    this.skipped = new ArrayList<>(definitions.skipped());
    this.problems = new ArrayList<>(definitions.problems());
  }

  /**
   * Checks everything, then changes the broker.
   *
   * @return completed when all changes are safe; fails with a {@link ConnectionException} 541 if
   *     the broker cannot make changes
   * @throws DefinitionsException if it is strict and a definition is invalid; then nothing was
   *     changed
   */
  CompletableFuture<ImportReport> run() throws DefinitionsException {
    DefinitionsCheck check =
        DefinitionsCheck.of(
            definitions, new BrokerPresent(broker, administration, policies), actor);
    (strict ? problems : skipped).addAll(definitions.unknown());
    for (Finding finding : check.findings()) {
      boolean isProblem =
          switch (finding.fault()) {
            case WRONG -> true;
            case UNSUPPORTED, DANGLING -> strict;
            case DIFFERENT -> false;
          };
      (isProblem ? problems : skipped).add(finding.line());
    }
    Definitions accepted = check.accepted();
    if (strict) {
      // Else those for which there is room are added, and the steps of the others fail.
      problems.addAll(new ImportRoom(broker, administration, accepted).problems());
    }
    if (strict && !problems.isEmpty()) {
      throw new DefinitionsException(problems);
    }
    skipped.addAll(problems);
    plan(accepted);
    return takeSteps();
  }

  private void plan(Definitions accepted) {
    accepted.users().forEach(this::user);
    accepted
        .vhosts()
        .forEach(
            vhost ->
                step(
                    Stage.FOUNDATIONS,
                    "virtual host '" + vhost.name() + "'",
                    () -> administration.vhosts().put(vhost)));
    accepted.permissions().forEach(this::permissions);
    accepted.topicPermissions().forEach(this::topicPermissions);
    accepted
        .vhostLimits()
        .forEach(
            (vhost, limits) ->
                step(
                    Stage.RULES,
                    Definitions.labelOfLimits(vhost),
                    () -> administration.vhosts().setLimits(vhost, limits)));
    accepted
        .globalParameters()
        .forEach(
            (name, json) ->
                step(
                    Stage.FOUNDATIONS,
                    "global parameter '" + name + "'",
                    () -> administration.globalParameters().set(name, json)));
    accepted.parameters().forEach(this::parameter);
    accepted
        .policies()
        .forEach(policy -> step(Stage.RULES, policy.label(), () -> policies.set(policy)));
    accepted.exchanges().forEach(this::exchange);
    accepted.queues().forEach(this::queue);
    accepted.bindings().forEach(this::binding);
  }

  /** Carries out all steps, stage by stage. */
  private CompletableFuture<ImportReport> takeSteps() {
    CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    for (Stage stage : Stage.values()) {
      List<Step> all = steps.getOrDefault(stage, List.of());
      for (int from = 0; from < all.size(); from += MOST_AT_ONCE) {
        List<Step> some = all.subList(from, Math.min(all.size(), from + MOST_AT_ONCE));
        last = last.thenCompose(done -> take(some));
      }
    }
    return last.thenApply(done -> new ImportReport(imported, skipped, problems.size()));
  }

  private CompletableFuture<Void> take(List<Step> some) {
    List<CompletableFuture<String>> outcomes = some.stream().map(this::take).toList();
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                throw ended(Causes.of(failure));
              }
              outcomes.forEach(outcome -> note(outcome.join()));
              return null;
            });
  }

  private void note(String whySkipped) {
    if (whySkipped == null) {
      imported++;
    } else {
      skipped.add(whySkipped);
    }
  }

  /** Returns what tells that the broker cannot make changes. */
  private ConnectionException ended(Throwable cause) {
    return new ConnectionException(
        ReplyCode.INTERNAL_ERROR,
        "the import has ended after %d definitions, those that follow may be imported or not: %s"
            .formatted(imported, reason(cause)));
  }

  /**
   * Carries out a step.
   *
   * @return null, or a line with the reason if its object is not imported; fails if the broker
   *     cannot make changes
   */
  private CompletableFuture<String> take(Step step) {
    try {
      return step.action
          .get()
          .thenApply(done -> step.outcome())
          .exceptionallyCompose(
              error ->
                  Causes.of(error) instanceof ConnectionException
                      ? CompletableFuture.failedFuture(error)
                      : CompletableFuture.completedFuture(step.label + ": " + reason(error)));
    } catch (ConnectionException e) {
      return CompletableFuture.failedFuture(e);
    } catch (AmqpException | AdministrationException | IllegalArgumentException e) {
      return CompletableFuture.completedFuture(step.label + ": " + reason(e));
    }
  }

  private static String reason(Throwable error) {
    Throwable cause = Causes.of(error);
    return cause instanceof AmqpException amqp ? amqp.detail() : String.valueOf(cause.getMessage());
  }

  private void step(Stage stage, String label, Supplier<CompletableFuture<?>> action) {
    step(stage, new Step(label, null, action));
  }

  private void step(Stage stage, Step step) {
    steps.computeIfAbsent(stage, first -> new ArrayList<>()).add(step);
  }

  private void user(User user) {
    step(
        Stage.FOUNDATIONS,
        "user '" + user.name() + "'",
        () ->
            administration
                .users()
                .put(user.name(), user.passwordHash(), user.tags())
                .thenCompose(put -> administration.users().setLimits(user.name(), user.limits())));
  }

  private void permissions(Definitions.Grant grant) {
    step(
        Stage.RULES,
        grant.label(),
        () ->
            administration
                .permissions()
                .set(grant.user(), grant.vhost(), grant.configure(), grant.write(), grant.read()));
  }

  private void topicPermissions(Definitions.TopicGrant grant) {
    step(
        Stage.RULES,
        grant.label(),
        () ->
            administration
                .permissions()
                .setTopic(
                    grant.user(), grant.vhost(), grant.exchange(), grant.write(), grant.read()));
  }

  /** Keeps a parameter of an unknown component without effect, so that an export has it again. */
  private void parameter(Parameter parameter) {
    step(
        Stage.RULES,
        new Step(
            Definitions.label(parameter),
            administration.parameters().component(parameter.component()).isPresent()
                ? null
                : "there is no such component here: kept and exported again, without effect",
            () -> administration.parameters().set(parameter)));
  }

  private void exchange(Definitions.Exchange exchange) {
    ExchangeDefinition wanted = exchange.definition(ExchangeType.ofWireName(exchange.type()));
    step(
        Stage.RULES,
        exchange.label(),
        () -> require(exchange.vhost()).declareExchange(wanted, null));
  }

  private void queue(Definitions.Queue queue) {
    Optional<String> parent = queue.parent();
    if (parent.isPresent()) {
      step(
          Stage.DEAD_LETTER_QUEUES,
          queue.label(),
          () -> require(queue.vhost()).declareDeadLetterQueueOf(parent.get(), actor));
    } else {
      step(
          Stage.QUEUES,
          queue.label(),
          () -> require(queue.vhost()).declareQueue(queue.declaration(actor)));
    }
  }

  private void binding(Definitions.Bound bound) {
    step(Stage.BINDINGS, bound.label(), () -> require(bound.vhost()).bind(bound.binding(), null));
  }

  /** Returns a virtual host that exists or was added by an earlier step. */
  private VirtualHost require(String vhost) {
    VirtualHost found = broker.virtualHost(vhost);
    if (found == null) {
      throw new IllegalArgumentException("Virtual host '" + vhost + "' does not exist");
    }
    return found;
  }
}
