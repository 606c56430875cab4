package io.mayflymq.server.definitions;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.EffectiveValue;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.policy.MistypedArguments;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.RetryType;
import io.mayflymq.core.proof.Claim;
import io.mayflymq.core.proof.DeadLetterRoutes;
import io.mayflymq.core.proof.DeadLetterWay.Target;
import io.mayflymq.core.proof.QueueFacts;
import io.mayflymq.core.proof.QueueProof;
import io.mayflymq.core.proof.Surroundings;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.vhost.DeclarationRules;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.protocol.types.AmqpException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Tells what can go wrong with the queues, exchanges and policies of a document of definitions,
 * without a broker: by the broker's own rules of policies and of routing.
 */
public final class DefinitionsLint {
  private final String vhost;
  private final List<LintFinding> findings;
  private final Map<String, QueueSettings> queues = new TreeMap<>();
  private final Map<String, QueueDefinition> declared = new TreeMap<>();

  /** The queues that are to dead-letter at least once, and do not. */
  private final Set<String> notAtLeastOnce = new HashSet<>();

  private DeclarationRules rules;
  private RoutingTable<String> routing = RoutingTable.empty();
  private PolicyTable policies = PolicyTable.of(Defaults.NONE);

  private DefinitionsLint(String vhost, List<LintFinding> findings) {
    this.vhost = vhost;
    this.findings = findings;
  }

  /**
   * Looks at a document.
   *
   * @param json in UTF-8
   * @param vhost the virtual host of all items; null for a document of a whole broker
   * @return the gravest first
   * @throws DefinitionsException if it is no document of definitions
   */
  public static List<LintFinding> of(InputStream json, String vhost) throws DefinitionsException {
    // Passwords are not looked at.
    Definitions definitions = DefinitionsReader.read(json, vhost, password -> PasswordHash.NONE);
    List<LintFinding> findings = new ArrayList<>();
    Stream.concat(definitions.problems().stream(), definitions.unknown().stream())
        .forEach(
            problem -> findings.add(new LintFinding(LintRule.INVALID, "the document", problem)));
    DefinitionsCheck check = check(definitions);
    check.findings().stream()
        .map(DefinitionsLint::finding)
        .flatMap(Optional::stream)
        .forEach(findings::add);
    Definitions accepted = check.accepted();
    Set<String> vhosts = new TreeSet<>();
    accepted.vhosts().stream().map(VhostDefinition::name).forEach(vhosts::add);
    accepted.queues().forEach(queue -> vhosts.add(queue.vhost()));
    accepted.exchanges().forEach(exchange -> vhosts.add(exchange.vhost()));
    accepted.policies().stream()
        .filter(policy -> !policy.isForVhosts())
        .forEach(policy -> vhosts.add(policy.vhost()));
    if (definitions.vhosts().isEmpty()) {
      definitions.bindings().forEach(binding -> vhosts.add(binding.vhost()));
    }
    for (String each : vhosts) {
      new DefinitionsLint(each, findings).look(accepted, definitions.bindings());
    }
    findings.sort(
        Comparator.comparing((LintFinding finding) -> finding.rule().level())
            .thenComparing(LintFinding::rule));
    return findings;
  }

  private static DefinitionsCheck check(Definitions definitions) {
    return DefinitionsCheck.of(definitions, new NothingPresent(definitions), Actor.BROKER);
  }

  /** What a binding lacks is told by the rule for that. */
  private static Optional<LintFinding> finding(DefinitionsCheck.Finding finding) {
    return finding.fault() == DefinitionsCheck.Fault.DANGLING
        ? Optional.empty()
        : Optional.of(new LintFinding(LintRule.INVALID, finding.label(), finding.what()));
  }

  /**
   * Tells what can happen to the messages of a queue of a document, once it is imported by a broker
   * that is alone and has the default configuration.
   *
   * @param vhost the virtual host of the queue, and of all items that do not name one
   * @return empty if there is no such queue
   * @throws DefinitionsException if it is no document of definitions, what it has of the queue is
   *     wrong, or the queue is a stream
   */
  public static Optional<List<Claim>> prove(byte[] json, String vhost, String queue)
      throws DefinitionsException {
    Definitions definitions = read(json, null);
    if (definitions.vhosts().isEmpty() && definitions.queues().isEmpty()) {
      definitions = read(json, vhost);
    }
    DefinitionsCheck check = check(definitions);
    DefinitionsLint lint = new DefinitionsLint(vhost, new ArrayList<>());
    lint.take(check.accepted(), definitions.bindings());
    QueueDefinition definition = lint.declared.get(queue);
    if (definition == null) {
      List<String> wrong =
          Stream.concat(
                  check.findings().stream()
                      .filter(finding -> finding.label().equals(lint.queue(queue)))
                      .map(DefinitionsCheck.Finding::line),
                  definitions.problems().stream()
                      .filter(problem -> problem.startsWith("queues["))
                      .filter(problem -> problem.contains("] ('%s'): ".formatted(queue))))
              .toList();
      if (!wrong.isEmpty()) {
        throw new DefinitionsException(wrong);
      }
      return Optional.empty();
    } else if (definition.settings().type() == QueueType.STREAM) {
      throw new DefinitionsException(
          List.of(
              "%s is a stream: expected a classic queue or a quorum queue"
                  .formatted(lint.queue(queue))));
    }
    return Optional.of(QueueProof.of(lint.facts(definition)));
  }

  private static Definitions read(byte[] json, String vhost) throws DefinitionsException {
    return DefinitionsReader.read(
        new ByteArrayInputStream(json), vhost, password -> PasswordHash.NONE);
  }

  private QueueFacts facts(QueueDefinition definition) {
    String own = AutoDeadLetterQueue.nameOf(definition.name());
    return new QueueFacts(
        vhost,
        definition,
        !AutoDeadLetterQueue.is(definition),
        policies,
        settings ->
            deadLetters()
                .way(
                    definition.name(),
                    settings,
                    isTakenByAnother(own, definition.name())
                        ? null
                        : new Target(own, definition.durable(), true, QueueSettings.DEFAULT),
                    name ->
                        new Target(name, declared.get(name).durable(), false, queues.get(name))),
        Surroundings.DEFAULT);
  }

  private boolean isTakenByAnother(String own, String parent) {
    QueueDefinition present = declared.get(own);
    return present != null && !AutoDeadLetterQueue.isOf(present, parent);
  }

  private void look(Definitions accepted, List<Definitions.Bound> bindings) {
    take(accepted, bindings);
    accepted.exchanges().stream()
        .filter(each -> each.vhost().equals(vhost))
        .forEach(this::lookAtExchange);
    queues.forEach(this::lookAtQueue);
    lookForCycles();
    for (PolicyKind kind : PolicyKind.values()) {
      lookAtPolicies(kind);
    }
  }

  /**
   * Takes what a check has accepted, and all bindings, so that those that lead nowhere are told.
   */
  private void take(Definitions accepted, List<Definitions.Bound> bindings) {
    accepted.policies().stream()
        .filter(policy -> policy.isForVhosts() || policy.vhost().equals(vhost))
        .forEach(this::add);
    rules =
        DeclarationRules.byDefault(
            accepted.vhosts().stream()
                .filter(each -> each.name().equals(vhost))
                .findFirst()
                .orElse(VhostDefinition.of(vhost)));
    ExchangeDefinition.predeclared().forEach(exchange -> routing = routing.withExchange(exchange));
    accepted.exchanges().stream().filter(each -> each.vhost().equals(vhost)).forEach(this::add);
    accepted.queues().stream().filter(each -> each.vhost().equals(vhost)).forEach(this::add);
    bindings.stream().filter(each -> each.vhost().equals(vhost)).forEach(this::add);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a library of its own
  private void found(LintRule rule, String object, String sentence, Object... arguments) {
    findings.add(new LintFinding(rule, object, sentence.formatted(arguments)));
  }

  private String queue(String name) {
    return "queue '%s' in vhost '%s'".formatted(name, vhost);
  }

  // What there is

  private void add(PolicyItem item) {
    try {
      Policy policy = PolicyDefinitions.policy(item);
      if (!policy.isForVhosts() || policy.isForVhost(vhost)) {
        policies = policies.with(policy);
      }
    } catch (PolicyException e) {
      throw new IllegalStateException(item.label() + " was accepted", e);
    }
  }

  private void add(Definitions.Exchange exchange) {
    if (routing.exchange(exchange.name()) == null) {
      routing = routing.withExchange(exchange.definition(ExchangeType.ofWireName(exchange.type())));
    }
    String alternate = policies.alternateExchangeOf(exchange.name(), exchange.arguments());
    if (alternate != null) {
      routing = routing.withAlternateExchange(exchange.name(), alternate);
    }
  }

  private void add(Definitions.Queue queue) {
    boolean isOwn = queue.parent().isPresent();
    QueueDefinition definition =
        isOwn
            ? new QueueDefinition(
                queue.name(),
                queue.durable(),
                false,
                queue.autoDelete(),
                queue.arguments(),
                QueueSettings.DEFAULT)
            : rules.queue(queue.declaration(Actor.BROKER));
    QueueSettings byArguments = definition.settings();
    EffectiveSettings effective =
        (isOwn ? PolicyTable.EMPTY : policies)
            .effective(
                PolicySubject.queue(byArguments.type(), queue.name()), definition.arguments());
    QueueSettings settings = effective.toQueueSettings(byArguments);
    queues.put(queue.name(), settings);
    declared.put(queue.name(), definition);
    boolean isAsked =
        effective
            .value(PolicyKey.DEAD_LETTER_STRATEGY)
            .map(EffectiveValue::value)
            .filter("at-least-once"::equals)
            .isPresent();
    if (isAsked && !settings.deadLetters().atLeastOnce()) {
      notAtLeastOnce.add(queue.name());
    }
    routing = routing.withQueue(queue.name(), queue.name(), 0);
    lookAtSettings(queue.name(), settings, effective);
    MistypedArguments.of(queue.arguments())
        .forEach(
            (argument, nearest) ->
                found(
                    LintRule.MISTYPED_ARGUMENT,
                    queue.label(),
                    "its argument '%s' is not known here and has no effect: is '%s' meant?",
                    argument,
                    nearest));
  }

  private void add(Definitions.Bound bound) {
    Binding binding = bound.binding();
    boolean isQueue = binding.destinationKind() == DestinationKind.QUEUE;
    String missing =
        routing.exchange(binding.source()) == null
            ? "exchange '" + binding.source() + "'"
            : isQueue && routing.queue(binding.destination()) == null
                ? "queue '" + binding.destination() + "'"
                : !isQueue && routing.exchange(binding.destination()) == null
                    ? "exchange '" + binding.destination() + "'"
                    : null;
    if (missing != null) {
      found(
          LintRule.BINDING_TO_NOTHING,
          bound.label(),
          "there is no %s in the file: declare it, or remove the binding",
          missing);
    } else if (!binding.source().isEmpty()) {
      try {
        routing = routing.withBinding(binding);
      } catch (AmqpException e) {
        // The check has told it.
        return;
      }
    }
  }

  // Exchanges

  private void lookAtExchange(Definitions.Exchange exchange) {
    if (routing.exchange(exchange.name()) == null) {
      return;
    }
    String alternate = routing.alternateExchange(exchange.name());
    if (alternate != null && routing.exchange(alternate) == null) {
      found(
          LintRule.ALTERNATE_EXCHANGE_MISSING,
          exchange.label(),
          "its alternate exchange '%s' does not exist: what no binding takes is lost",
          alternate);
    } else if (alternate == null
        && !exchange.internal()
        && !routing.hasBindingsFrom(exchange.name())) {
      found(
          LintRule.EXCHANGE_WITHOUT_BINDINGS,
          exchange.label(),
          "it has no bindings: what is published to it is lost until clients bind queues; an"
              + " alternate exchange would keep it");
    }
  }

  // Queues

  private void lookAtQueue(String name, QueueSettings settings) {
    if (settings.type() == QueueType.STREAM) {
      return;
    }
    String exchange = settings.deadLetters().exchange();
    if (exchange != null && routing.exchange(exchange) == null) {
      found(
          LintRule.DEAD_LETTER_EXCHANGE_MISSING,
          queue(name),
          "its dead letter exchange '%s' does not exist: messages that expire, are rejected or do"
              + " not fit are lost",
          exchange);
    } else if (exchange != null && deadLetters().isUnroutable(name, settings)) {
      found(
          LintRule.DEAD_LETTER_UNROUTABLE,
          queue(name),
          "no binding of its dead letter exchange '%s' takes the routing key %s: messages that"
              + " expire, are rejected or do not fit are lost",
          exchange,
          settings.deadLetters().routingKey() == null
              ? "that messages have, " + quoted(deadLetters().keys(name))
              : "'" + settings.deadLetters().routingKey() + "'");
    }
    if (exchange != null && notAtLeastOnce.contains(name)) {
      found(
          LintRule.AT_LEAST_ONCE_WITHOUT_EFFECT,
          queue(name),
          "dead-letter-strategy at-least-once has no effect with overflow drop-head: set overflow to"
              + " reject-publish");
    }
    long ttl = settings.expiry().messageTtlMillis();
    long lease = settings.lease().expiresMillis();
    if (ttl != QueueSettings.NONE
        && lease != QueueSettings.NONE
        && ttl > lease
        && !settings.lease().onlyIfEmpty()
        && !settings.lease().deadLetters()) {
      found(
          LintRule.TTL_LONGER_THAN_LEASE,
          queue(name),
          "messages may stay %d ms, but unused it is deleted with them after %d ms, and they are not"
              + " dead-lettered: make expires longer than message-ttl",
          ttl,
          lease);
    }
    if (settings.deliveries().limit() != QueueSettings.NONE
        && !settings.deadLetters().areWantedOn(DeathReason.DELIVERY_LIMIT)) {
      found(
          LintRule.RETURNED_MESSAGES_DROPPED,
          queue(name),
          "a message whose delivery fails more than %d times is dropped: %s",
          settings.deliveries().limit(),
          wayOut(settings, DeathReason.DELIVERY_LIMIT));
    }
    if (!settings.deadLetters().areWantedOn(DeathReason.MAXLEN)
        && settings.length().isLimited()
        && settings.length().overflow() == Overflow.DROP_HEAD) {
      found(
          LintRule.DROPS_WHEN_FULL,
          queue(name),
          "at its length limit the oldest messages are dropped: %s, or set overflow to"
              + " reject-publish or block",
          wayOut(settings, DeathReason.MAXLEN));
    }
    String told = settings.expiry().deadlineNotify();
    if (told != null
        && settings.expiry().deadlineHeader() != null
        && !told.equals(ExpirySettings.TO_REPLY_QUEUE)
        && routing.exchange(told) == null) {
      found(
          LintRule.DEADLINE_EXCHANGE_MISSING,
          queue(name),
          "deadline-notify names the exchange '%s', which does not exist: no one is told of messages"
              + " that die at their deadline",
          told);
    }
  }

  /** Returns what would keep messages that die for this reason. */
  private static String wayOut(QueueSettings settings, DeathReason reason) {
    return settings.deadLetters().areWanted()
        ? "its dead-letter-on is without %s: add that".formatted(reason.wireName())
        : "set a dead-letter-exchange";
  }

  /** Looks for settings that need another one to have an effect, and for a pause. */
  private void lookAtSettings(String name, QueueSettings settings, EffectiveSettings effective) {
    if (settings.type() == QueueType.STREAM) {
      return;
    }
    if (!settings.recoverable().isOn()) {
      String idle = set(effective, PolicyKey.RECOVERABLE_ACKED, PolicyKey.RECOVERABLE_BYTES);
      if (idle != null) {
        found(
            LintRule.RECOVERABLE_WITHOUT_EFFECT,
            queue(name),
            "nothing that leaves it can be brought back in spite of %s: set recoverable to a time",
            idle);
      }
    }
    effective
        .value(PolicyKey.PAUSE)
        .ifPresent(
            pause ->
                found(
                    LintRule.STARTS_PAUSED,
                    queue(name),
                    "it begins paused, with pause = %s by %s '%s': take that out, or run"
                        + " resume_queue after the import",
                    pause.value(),
                    pause.origin().inWords(),
                    pause.policy()));
    if (settings.expiry().deadlineHeader() == null) {
      lookForDeadlines(name, effective);
    }
    if (settings.length().overflow() != Overflow.BLOCK) {
      if (effective.value(PolicyKey.BLOCK_TIMEOUT).isPresent()) {
        found(
            LintRule.BLOCK_WITHOUT_EFFECT,
            queue(name),
            "block-timeout has no effect with overflow %s: set overflow to block",
            settings.length().overflow().wireName());
      }
    } else if (!settings.length().isLimited()) {
      found(
          LintRule.BLOCK_WITHOUT_EFFECT,
          queue(name),
          "overflow block has no effect without a limit: set max-length or max-length-bytes");
    }
    lookForBurst(name, effective, PolicyKey.DELIVERY_BURST, PolicyKey.DELIVERY_RATE);
    lookForBurst(name, effective, PolicyKey.PUBLISH_BURST, PolicyKey.PUBLISH_RATE);
  }

  private void lookForDeadlines(String name, EffectiveSettings effective) {
    boolean isOff = effective.value(PolicyKey.DEADLINE_HEADER).isPresent();
    String idle =
        set(
            effective,
            PolicyKey.DEADLINE_HEADER,
            PolicyKey.DEADLINE_NOTIFY,
            PolicyKey.DEADLINE_REPLIES);
    if (idle != null) {
      found(
          LintRule.DEADLINE_WITHOUT_EFFECT,
          queue(name),
          isOff
              ? "%s: no effect with message-ttl-mode queue-only, by which a message has no time of"
                  + " its own: set message-ttl-mode to min"
              : "%s: no effect without deadline-header, which names the header with the deadline",
          idle);
    }
  }

  private void lookForBurst(
      String name, EffectiveSettings effective, PolicyKey burst, PolicyKey rate) {
    if (effective.value(burst).isPresent() && effective.value(rate).isEmpty()) {
      found(
          LintRule.BURST_WITHOUT_EFFECT,
          queue(name),
          "%s has no effect without %s: set that, too",
          burst.wireName(),
          rate.wireName());
    }
  }

  /** Returns which of these keys are set, and not to false; null if none is. */
  private static String set(EffectiveSettings effective, PolicyKey... keys) {
    List<String> names =
        Stream.of(keys)
            .filter(
                key ->
                    effective
                        .value(key)
                        .filter(value -> !Boolean.FALSE.equals(value.value()))
                        .isPresent())
            .map(PolicyKey::wireName)
            .toList();
    return names.isEmpty() ? null : String.join(", ", names);
  }

  private static String quoted(Collection<String> keys) {
    return String.join(", ", keys.stream().map(key -> "'" + key + "'").toList());
  }

  private DeadLetterRoutes<String> deadLetters() {
    return new DeadLetterRoutes<>(routing, name -> name);
  }

  // Cycles

  /** Looks for queues whose rejected messages come back to them, and wait nowhere. */
  private void lookForCycles() {
    Map<String, Set<String>> next = new LinkedHashMap<>();
    queues.forEach(
        (name, settings) -> {
          boolean rejects = settings.deadLetters().on().contains(DeathReason.REJECTED);
          boolean waits =
              settings.expiry().messageTtlMillis() > 0
                  || settings.deliveries().retry().type() != RetryType.DISABLED;
          if (rejects && !waits) {
            next.put(name, deadLetters().targets(name, settings));
          }
        });
    Set<Set<String>> told = new HashSet<>();
    for (String start : next.keySet()) {
      List<String> cycle = cycle(start, next);
      if (!cycle.isEmpty() && told.add(Set.copyOf(cycle))) {
        found(
            LintRule.DEAD_LETTER_CYCLE,
            queue(start),
            "messages that consumers reject come back without a pause: %s. Let one of these queues"
                + " have a message-ttl and no consumers",
            String.join(" -> ", Stream.concat(cycle.stream(), Stream.of(start)).toList()));
      }
    }
  }

  /** Returns the shortest way from a queue back to itself; empty if there is none. */
  private static List<String> cycle(String start, Map<String, Set<String>> next) {
    Map<String, String> from = new LinkedHashMap<>();
    Deque<String> reached = new ArrayDeque<>(List.of(start));
    while (!reached.isEmpty()) {
      String at = reached.poll();
      for (String to : next.getOrDefault(at, Set.of())) {
        if (to.equals(start)) {
          Deque<String> way = new ArrayDeque<>();
          for (String step = at; step != null; step = from.get(step)) {
            way.addFirst(step);
          }
          return List.copyOf(way);
        }
        if (from.putIfAbsent(to, at) == null) {
          reached.add(to);
        }
      }
    }
    return List.of();
  }

  // Policies

  private void lookAtPolicies(PolicyKind kind) {
    Collection<Policy> all = policies.policies(kind);
    List<PolicySubject> subjects = new ArrayList<>();
    queues.forEach((name, settings) -> subjects.add(PolicySubject.queue(settings.type(), name)));
    routing.exchanges().stream()
        .filter(exchange -> !exchange.isDefault())
        .forEach(exchange -> subjects.add(PolicySubject.exchange(exchange.name())));
    for (Policy policy : all) {
      String label = "%s '%s' in vhost '%s'".formatted(kind.inWords(), policy.name(), vhost);
      List<PolicySubject> matched = subjects.stream().filter(policy::matches).toList();
      if (matched.isEmpty()) {
        found(
            LintRule.POLICY_MATCHES_NOTHING,
            label,
            "its pattern '%s' applies to no queue and no exchange of the file",
            policy.pattern());
        if (policy.definition().get(PolicyKey.PAUSE) != null) {
          found(
              LintRule.STARTS_PAUSED,
              label,
              "queues that clients declare and it matches begin paused: take pause out of it");
        }
        continue;
      }
      if (matched.stream().noneMatch(subject -> policies.layers(kind, subject).contains(policy))) {
        List<Policy> hiding = policies.layers(kind, matched.get(0));
        found(
            LintRule.POLICY_HIDDEN,
            label,
            "wherever it matches, another one applies, as '%s' with priority %d to %s '%s': have"
                + " that one merge, or give this one a higher priority than %d",
            hiding.get(hiding.size() - 1).name(),
            hiding.get(hiding.size() - 1).priority(),
            matched.get(0).kind(),
            matched.get(0).name(),
            policy.priority());
      }
      for (Policy other : all) {
        if (other.priority() == policy.priority() && other.name().compareTo(policy.name()) > 0) {
          matched.stream()
              .filter(other::matches)
              .filter(subject -> isOneOf(policies.applying(kind, subject), policy, other))
              .findFirst()
              .ifPresent(
                  subject ->
                      found(
                          LintRule.EQUAL_PRIORITIES,
                          label,
                          "it and '%s' have the priority %d, and both match %s '%s': give them"
                              + " different ones",
                          other.name(),
                          policy.priority(),
                          subject.kind(),
                          subject.name()));
        }
      }
    }
  }

  private static boolean isOneOf(Policy applying, Policy one, Policy other) {
    return one.equals(applying) || other.equals(applying);
  }
}
