package io.mayflymq.core.vhost;

import io.mayflymq.core.event.AdministrationEvent;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The policies of a virtual host, and how they reach its exchanges and queues.
 *
 * A change is made under the lock of the virtual host. Exchanges have it with the next routing table. Queues are visited by their shards, in
 * slices; each asks for the policies of that moment, so two changes in quick succession end in the same state whichever visit comes
 * last. What is declared meanwhile is made under the same lock, and begins with the new policies.
 *
 * What is public may be called by any thread. It looks at every queue or exchange on the thread that calls, which takes tens of milliseconds
 * for ten thousand: that should be no shard's.
 */
public final class VhostPolicies {
  private static final Logger LOGGER = LoggerFactory.getLogger(VhostPolicies.class);

  private final VirtualHost vhost;
  private volatile PolicyTable table;

  VhostPolicies(VirtualHost vhost, Defaults defaults) {
    this.vhost = vhost;
    this.table = PolicyTable.of(defaults);
  }

  /** The policies and operator policies of this moment. */
  public PolicyTable table() {
    return table;
  }

  /**
   * Sets a policy or operator policy, in place of the one with the same kind and name.
   *
   * @return done when it is safe, and all exchanges and queues live by it
   * @throws ChannelException 406 if the patterns of all policies together would be too large
   */
  public synchronized CompletableFuture<Void> set(Policy policy) {
    PolicyTable changed = table.with(policy);
    requireAffordable(changed);
    CompletableFuture<Void> set =
        vhost.changePolicies(changed, new MetadataCommand.PolicySet(vhost.name(), policy));
    vhost.events().happened(new AdministrationEvent.PolicySet(vhost.name(), policy));
    return set;
  }

  private void requireAffordable(PolicyTable changed) {
    long size = changed.patternsSize();
    if (size > PolicyTable.MAX_PATTERNS_SIZE && size > table.patternsSize()) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "the patterns of all policies in vhost '%s' would be too large: with repetitions written out they would have %d characters, of which %d are allowed"
              .formatted(vhost.name(), size, PolicyTable.MAX_PATTERNS_SIZE));
    }
  }

  /** Takes a policy that was kept before this process; says so if it can no longer apply. */
  PolicyTable recovered(Policy policy) {
    if (policy.problem() != null) {
      LOGGER.warn(
          "{} in vhost '{}' applies to nothing: {}", policy, vhost.name(), policy.problem());
    }
    return table.with(policy);
  }

  /**
   * Clears a policy or operator policy.
   *
   * @return false if there is none of this name; else true, when that is safe, and all exchanges
   *     and queues live without it
   */
  public synchronized CompletableFuture<Boolean> clear(PolicyKind kind, String policy) {
    if (table.policy(kind, policy) == null) {
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Void> cleared =
        vhost.changePolicies(
            table.without(kind, policy),
            new MetadataCommand.PolicyCleared(vhost.name(), kind, policy));
    vhost.events().happened(new AdministrationEvent.PolicyCleared(vhost.name(), kind, policy));
    return cleared.thenApply(safe -> true);
  }

  /**
   * Sets the policies that new virtual hosts are given, of those that are for this one and are not
   * there already.
   */
  public CompletableFuture<Void> setDefaults(Collection<DefaultPolicy> defaults) {
    return CompletableFuture.allOf(
        defaults.stream()
            .filter(byDefault -> byDefault.vhosts().matches(vhost.name()))
            .map(DefaultPolicy::policy)
            .filter(policy -> !policy.equals(table.policy(policy.kind(), policy.name())))
            .map(this::set)
            .toArray(CompletableFuture<?>[]::new));
  }

  /** What {@link #set} would do now; changes nothing. */
  public CompletableFuture<PolicyDryRun> dryRunSet(Policy policy) {
    return dryRun(table.with(policy));
  }

  /** What {@link #clear} would do now; changes nothing. */
  public CompletableFuture<PolicyDryRun> dryRunClear(PolicyKind kind, String policy) {
    return dryRun(table.without(kind, policy));
  }

  /**
   * What counts for a queue, and where it came from.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 404
   */
  public EffectiveSettings explainQueue(String queue) {
    Queue found = vhost.routing().queue(queue);
    if (found == null) {
      throw new NameErrors(vhost.name()).noQueue(queue);
    }
    PolicyTable counts = OwnDeadLetterQueue.is(found.definition()) ? PolicyTable.EMPTY : table;
    return counts.explain(
        PolicySubject.queue(found.definition().settings().type(), queue),
        found.definition().arguments());
  }

  /**
   * What counts for an exchange, and where it came from.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 404
   */
  public EffectiveSettings explainExchange(String exchange) {
    return table.explain(PolicySubject.exchange(exchange), vhost.exchange(exchange).arguments());
  }

  /** Within the lock of the virtual host. */
  void change(PolicyTable changed) {
    table = changed;
  }

  QueueSettings settingsOf(QueueDefinition queue) {
    return settingsOf(table, queue);
  }

  private static QueueSettings settingsOf(PolicyTable table, QueueDefinition queue) {
    if (OwnDeadLetterQueue.is(queue)) {
      return queue.settings();
    }
    return table.settingsOf(queue.name(), queue.arguments(), queue.settings());
  }

  private static Map<String, Object> keysOf(PolicyTable table, QueueDefinition queue) {
    PolicySubject subject = PolicySubject.queue(queue.settings().type(), queue.name());
    Map<String, Object> keys = new LinkedHashMap<>();
    table.explain(subject, queue.arguments()).values().stream()
        .filter(value -> value.key().concerns(subject))
        .forEach(value -> keys.put(value.key().wireName(), value.value()));
    return keys;
  }

  /** A routing table with another exchange, which has the alternate exchange that it should. */
  RoutingTable<Queue> add(RoutingTable<Queue> routing, ExchangeDefinition exchange) {
    RoutingTable<Queue> changed = routing.withExchange(exchange);
    return table.isEmpty() ? changed : withAlternate(changed, exchange);
  }

  /** A routing table whose exchanges all have the alternate exchange that they should. */
  RoutingTable<Queue> applyTo(RoutingTable<Queue> routing) {
    RoutingTable<Queue> changed = routing;
    for (ExchangeDefinition exchange : routing.exchanges()) {
      changed = withAlternate(changed, exchange);
    }
    return changed;
  }

  private RoutingTable<Queue> withAlternate(
      RoutingTable<Queue> routing, ExchangeDefinition exchange) {
    return exchange.isDefault()
        ? routing
        : routing.withAlternateExchange(
            exchange.name(), table.alternateExchangeOf(exchange.name(), exchange.arguments()));
  }

  /** Has all queues look at the policies. @return done when they have */
  static CompletableFuture<Void> applyToQueues(RoutingTable<Queue> routing) {
    return ShardVisit.of(routing.queues(), Queue::applyPolicies);
  }

  private CompletableFuture<PolicyDryRun> dryRun(PolicyTable changed) {
    RoutingTable<Queue> routing = vhost.routing();
    List<PolicyDryRun.ExchangeChange> exchanges = new ArrayList<>();
    for (ExchangeDefinition exchange : routing.exchanges()) {
      String before = routing.alternateExchange(exchange.name());
      String after = changed.alternateExchangeOf(exchange.name(), exchange.arguments());
      if (!exchange.isDefault() && !Objects.equals(before, after)) {
        exchanges.add(new PolicyDryRun.ExchangeChange(exchange.name(), before, after));
      }
    }
    PolicyTable current = table;
    List<Queue> queues = new ArrayList<>();
    for (Queue queue : routing.queues()) {
      QueueDefinition definition = queue.definition();
      if (!settingsOf(current, definition).equals(settingsOf(changed, definition))) {
        queues.add(queue);
      }
    }
    PolicyDryRun.Builder result =
        new PolicyDryRun.Builder(
            exchanges,
            queue -> new PolicyDryRun.Keys(keysOf(current, queue), keysOf(changed, queue)));
    return ShardVisit.of(
            queues, queue -> queue.forecast(settingsOf(changed, queue.definition()), result))
        .thenApply(visited -> result.build());
  }
}
