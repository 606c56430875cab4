package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.Equivalence;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.json.JsonReader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  private record Place(String vhost, String name) {}

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
  private final Set<String> newVhosts = new HashSet<>();
  private final Set<String> users = new HashSet<>();
  private final Map<Place, ExchangeType> newExchanges = new HashMap<>();
  private final Set<Place> newQueues = new HashSet<>();
  private final Map<String, List<Policy>> newPolicies = new HashMap<>();

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
    administration.users().list().forEach(user -> users.add(user.name()));
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
    definitions.users().forEach(this::user);
    definitions.vhosts().forEach(this::vhost);
    definitions.permissions().forEach(this::permissions);
    definitions.topicPermissions().forEach(this::topicPermissions);
    definitions.vhostLimits().forEach(this::vhostLimits);
    definitions
        .globalParameters()
        .forEach(
            (name, json) ->
                step(
                    Stage.FOUNDATIONS,
                    "global parameter '" + name + "'",
                    () -> administration.globalParameters().set(name, json)));
    definitions.parameters().forEach(this::parameter);
    definitions.policies().forEach(this::policy);
    definitions.exchanges().forEach(this::exchange);
    definitions.queues().forEach(this::queue);
    definitions.bindings().forEach(this::binding);
    if (strict) {
      // Else those for which there is room are added, and the steps of the others fail.
      requireRoomForQueues();
      requireRoomForPolicies();
    }
    if (strict && !problems.isEmpty()) {
      throw new DefinitionsException(problems);
    }
    skipped.addAll(problems);
    return takeSteps();
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

  private void skip(String label, String why) {
    skipped.add(label + ": " + why);
  }

  private void problem(String label, String what) {
    problems.add(label + ": " + what);
  }

  private void user(User user) {
    users.add(user.name());
    step(
        Stage.FOUNDATIONS,
        "user '" + user.name() + "'",
        () ->
            administration
                .users()
                .put(user.name(), user.passwordHash(), user.tags())
                .thenCompose(put -> administration.users().setLimits(user.name(), user.limits())));
  }

  private void vhost(VhostDefinition vhost) {
    int most = broker.limits().vhosts();
    if (broker.virtualHost(vhost.name()) == null && vhostsWithNew() >= most) {
      problem(
          "virtual host '" + vhost.name() + "'",
          AdministrationException.tooManyVhosts(vhost.name(), most).getMessage());
      return;
    }
    newVhosts.add(vhost.name());
    step(
        Stage.FOUNDATIONS,
        "virtual host '" + vhost.name() + "'",
        () -> administration.vhosts().put(vhost));
  }

  private long vhostsWithNew() {
    return broker.virtualHosts().size()
        + newVhosts.stream().filter(name -> broker.virtualHost(name) == null).count();
  }

  private boolean vhostIsMissing(String label, String vhost) {
    boolean missing = !newVhosts.contains(vhost) && broker.virtualHost(vhost) == null;
    if (missing) {
      problem(label, "Virtual host '" + vhost + "' does not exist");
    }
    return missing;
  }

  private boolean userIsMissing(String label, String user) {
    boolean missing = !users.contains(user);
    if (missing) {
      problem(label, "User \"" + user + "\" does not exist");
    }
    return missing;
  }

  private void permissions(Definitions.Grant grant) {
    if (!vhostIsMissing(grant.label(), grant.vhost())
        && !userIsMissing(grant.label(), grant.user())) {
      step(
          Stage.RULES,
          grant.label(),
          () ->
              administration
                  .permissions()
                  .set(
                      grant.user(), grant.vhost(), grant.configure(), grant.write(), grant.read()));
    }
  }

  private void topicPermissions(Definitions.TopicGrant grant) {
    if (!vhostIsMissing(grant.label(), grant.vhost())
        && !userIsMissing(grant.label(), grant.user())) {
      step(
          Stage.RULES,
          grant.label(),
          () ->
              administration
                  .permissions()
                  .setTopic(
                      grant.user(), grant.vhost(), grant.exchange(), grant.write(), grant.read()));
    }
  }

  private void vhostLimits(String vhost, Limits limits) {
    String label = "limits of vhost '" + vhost + "'";
    if (!vhostIsMissing(label, vhost)) {
      step(Stage.RULES, label, () -> administration.vhosts().setLimits(vhost, limits));
    }
  }

  /** Keeps a parameter of an unknown component without effect, so that an export has it again. */
  private void parameter(Parameter parameter) {
    String label =
        "parameter '%s' of component '%s' in vhost '%s'"
            .formatted(parameter.name(), parameter.component(), parameter.vhost());
    if (vhostIsMissing(label, parameter.vhost())) {
      return;
    }
    Optional<ParameterComponent> component =
        administration.parameters().component(parameter.component());
    if (component.isPresent()) {
      List<String> wrong =
          component
              .get()
              .problems(parameter.name(), JsonReader.stored(parameter.json()), vhost -> true);
      if (wrong.isEmpty()) {
        step(Stage.RULES, label, () -> administration.parameters().set(parameter));
      } else {
        problem(label, String.join("; ", wrong));
      }
    } else {
      step(
          Stage.RULES,
          new Step(
              label,
              "there is no such component here: kept and exported again, without effect",
              () -> administration.parameters().set(parameter)));
    }
  }

  private void policy(PolicyItem policy) {
    if (!policy.isForVhosts() && vhostIsMissing(policy.label(), policy.vhost())) {
      return;
    }
    if (policies.isRepeated(policy)) {
      return;
    }
    try {
      Policy checked = policies.check(policy);
      // Else it is not kept: what is compiled takes memory, and there may be no room for all.
      if (strict && !policy.isForVhosts()) {
        newPolicies.computeIfAbsent(policy.vhost(), vhost -> new ArrayList<>()).add(checked);
      }
      step(Stage.RULES, policy.label(), () -> policies.set(policy));
    } catch (PolicyException e) {
      problem(policy.label(), e.getMessage());
    }
  }

  private void exchange(Definitions.Exchange exchange) {
    String label = exchange.label();
    if (vhostIsMissing(label, exchange.vhost())) {
      return;
    }
    ExchangeType type = ExchangeType.ofWireName(exchange.type());
    if (type == null) {
      skip(label, "exchange type '" + exchange.type() + "' is not supported by this broker");
      return;
    }
    ExchangeDefinition wanted =
        new ExchangeDefinition(
            exchange.name(),
            type,
            exchange.durable(),
            exchange.autoDelete(),
            exchange.internal(),
            exchange.arguments());
    VirtualHost vhost = broker.virtualHost(exchange.vhost());
    ExchangeDefinition current = vhost == null ? null : vhost.routing().exchange(exchange.name());
    if (current != null) {
      if (!current.equals(wanted)) {
        skip(label, "exists and is declared otherwise");
      }
      return;
    }
    if (exchange.name().startsWith("amq.")) {
      skip(label, "the name is reserved");
      return;
    }
    try {
      type.validate(exchange.arguments());
    } catch (AmqpException e) {
      problem(label, e.detail());
      return;
    }
    newExchanges.put(new Place(exchange.vhost(), exchange.name()), type);
    step(Stage.RULES, label, () -> require(exchange.vhost()).declareExchange(wanted, null));
  }

  private void queue(Definitions.Queue queue) {
    String label = queue.label();
    if (vhostIsMissing(label, queue.vhost())) {
      return;
    }
    VirtualHost vhost = broker.virtualHost(queue.vhost());
    Queue current = vhost == null ? null : vhost.routing().queue(queue.name());
    try {
      if (current != null) {
        requireEquivalent(queue, current.definition(), vhost.dialect());
        return;
      }
      QueueArguments.parse(queue.arguments(), queue.name(), queue.vhost());
    } catch (AmqpException e) {
      if (current != null && vhost.takes(declaration(queue), current)) {
        step(Stage.QUEUES, label, () -> require(queue.vhost()).declareQueue(declaration(queue)));
      } else if (current != null) {
        skip(label, "exists and is declared otherwise: " + e.detail());
      } else if (isOfOtherType(queue)) {
        skip(label, e.detail());
      } else {
        problem(label, e.detail());
      }
      return;
    }
    newQueues.add(new Place(queue.vhost(), queue.name()));
    Optional<String> parent = AutoDeadLetterQueue.parentOf(queue.name(), queue.arguments());
    if (parent.isPresent()) {
      step(
          Stage.DEAD_LETTER_QUEUES,
          label,
          () -> require(queue.vhost()).declareDeadLetterQueueOf(parent.get(), actor));
      return;
    }
    step(Stage.QUEUES, label, () -> require(queue.vhost()).declareQueue(declaration(queue)));
  }

  private QueueDeclaration declaration(Definitions.Queue queue) {
    return new QueueDeclaration(
        queue.name(),
        queue.durable(),
        false,
        queue.autoDelete(),
        queue.arguments(),
        actor,
        null,
        // Names that begin with amq. were generated by a broker.
        queue.name().startsWith("amq."),
        false);
  }

  private static boolean isOfOtherType(Definitions.Queue queue) {
    return queue.arguments().get(QueueType.ARGUMENT) instanceof FieldValue.LongString type
        && QueueType.ofWireName(type.string()).isEmpty();
  }

  private static void requireEquivalent(
      Definitions.Queue wanted, QueueDefinition current, Dialect dialect) {
    Equivalence equivalence = new Equivalence("queue", wanted.name(), wanted.vhost());
    equivalence.check("exclusive", false, current.exclusive());
    equivalence.check("durable", wanted.durable(), current.durable());
    equivalence.check("auto_delete", wanted.autoDelete(), current.autoDelete());
    equivalence.checkQueueArguments(wanted.arguments(), current.arguments(), dialect);
  }

  private void binding(Definitions.Bound bound) {
    Binding binding = bound.binding();
    String label = bound.label();
    // Every queue is bound to the default exchange automatically; some exporters list these
    // bindings.
    if (binding.source().isEmpty() || vhostIsMissing(label, bound.vhost())) {
      return;
    }
    ExchangeType source = exchangeType(bound.vhost(), binding.source());
    if (source == null) {
      skip(label, "there is no such exchange");
      return;
    }
    boolean destinationExists =
        binding.destinationKind() == DestinationKind.EXCHANGE
            ? exchangeType(bound.vhost(), binding.destination()) != null
            : queueExists(bound.vhost(), binding.destination());
    if (!destinationExists) {
      skip(label, "there is no such " + binding.destinationKind());
      return;
    }
    try {
      source.validate(binding);
    } catch (AmqpException e) {
      problem(label, e.detail());
      return;
    }
    step(Stage.BINDINGS, label, () -> require(bound.vhost()).bind(binding, null));
  }

  private ExchangeType exchangeType(String vhost, String name) {
    ExchangeType fresh = newExchanges.get(new Place(vhost, name));
    if (fresh != null) {
      return fresh;
    }
    VirtualHost current = broker.virtualHost(vhost);
    if (current == null) {
      return ExchangeDefinition.predeclared().stream()
          .filter(exchange -> exchange.name().equals(name))
          .map(ExchangeDefinition::type)
          .findFirst()
          .orElse(null);
    }
    ExchangeDefinition exchange = current.routing().exchange(name);
    return exchange == null ? null : exchange.type();
  }

  private boolean queueExists(String vhost, String name) {
    VirtualHost current = broker.virtualHost(vhost);
    return newQueues.contains(new Place(vhost, name))
        || (current != null && current.routing().queue(name) != null);
  }

  private void requireRoomForQueues() {
    Map<String, Integer> added = new HashMap<>();
    newQueues.forEach(queue -> added.merge(queue.vhost(), 1, Integer::sum));
    added.forEach(
        (vhost, count) -> {
          VirtualHost current = broker.virtualHost(vhost);
          Limits now = current == null ? Limits.NONE : current.definition().limits();
          Limits limits = definitions.vhostLimits().getOrDefault(vhost, now);
          int present = current == null ? 0 : current.routing().queueCount();
          if (!limits.allow(Limit.MAX_QUEUES, present + count - 1)) {
            problem(
                "vhost '" + vhost + "'",
                "%d queues and %d new ones are more than its limit of %d"
                    .formatted(present, count, limits.get(Limit.MAX_QUEUES)));
          }
        });
  }

  /** Checks the total size of all policies, which may be too large although each one is allowed. */
  private void requireRoomForPolicies() {
    newPolicies.forEach(
        (vhost, added) -> {
          VirtualHost current = broker.virtualHost(vhost);
          PolicyTable present = current == null ? PolicyTable.EMPTY : current.policies().table();
          try {
            present.requireRoomFor(added, vhost);
          } catch (PolicyException e) {
            problem("policies", e.getMessage());
          }
        });
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
