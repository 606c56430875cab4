package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyDefinition;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyReach;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.queue.IdleLease;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Slices;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSweep;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policies of a virtual host, and how they reach its exchanges and queues.
 *
 * <p>A change of policies is one small change of the state (Topology). What is declared after it
 * begins with the new policies. What is there already is brought up to date once the change is in
 * force: exchanges and bindings are looked at outside of the lock, and only those that differ are
 * changed, some at a time; queues are visited by their shards, in slices. Each is settled by the
 * policies of that moment, so two changes in quick succession end in the same state whichever comes
 * last. So no change of policies holds the lock for longer than a declaration does, however many
 * queues there are.
 *
 * <p>What is public may be called by any thread. It looks at every queue or exchange on the thread
 * that calls, which takes tens of milliseconds for ten thousand: that should be no shard's.
 */
public final class VhostPolicies {
  private static final Logger LOGGER = LoggerFactory.getLogger(VhostPolicies.class);

  private final VhostState state;
  private final VhostChanges changes;
  private final DeprecatedFeatures deprecated;
  private final IdleLeases idle;
  private final Supplier<CompletableFuture<Void>> autoDeadLetterQueues;

  /**
   * @param autoDeadLetterQueues declares the dead letter queues that policies want and that do not
   *     exist
   */
  VhostPolicies(
      VhostState state,
      VhostChanges changes,
      DeprecatedFeatures deprecated,
      IdleLeases idle,
      Supplier<CompletableFuture<Void>> autoDeadLetterQueues) {
    this.state = state;
    this.changes = changes;
    this.deprecated = deprecated;
    this.idle = idle;
    this.autoDeadLetterQueues = autoDeadLetterQueues;
  }

  /** The policies and operator policies of this moment. */
  public PolicyTable table() {
    return state.current().policies();
  }

  /**
   * Sets a policy or operator policy, in place of the one with the same kind and name.
   *
   * @return done when it is safe, and all exchanges and queues live by it
   * @throws ChannelException 406 if the patterns of all policies together would be too large, or a
   *     key of the policy is deprecated and denied
   */
  public CompletableFuture<Void> set(Policy policy) {
    requirePermitted(policy.definition(), deprecated);
    return state
        .ask(
            () -> {
              Topology topology = state.proposed();
              state.requireAlive(topology);
              requireRoomFor(policy, topology.policies());
              return changes.request(
                  new MetadataCommand.PolicySet(state.name(), policy),
                  ChangeOrigin.of(Actor.BROKER));
            })
        .thenCompose(inForce -> applyNow());
  }

  /**
   * Checks that a policy sets nothing that RabbitMQ took away and that may not be used.
   *
   * @throws ChannelException 406 if it does
   */
  static void requirePermitted(PolicyDefinition definition, DeprecatedFeatures deprecated) {
    requirePermitted(
        deprecated,
        DeprecatedFeature.QUEUE_MASTER_LOCATOR,
        PolicyKey.QUEUE_MASTER_LOCATOR,
        definition.get(PolicyKey.QUEUE_MASTER_LOCATOR) != null);
    requirePermitted(
        deprecated,
        DeprecatedFeature.CLASSIC_QUEUE_MODE,
        PolicyKey.QUEUE_MODE,
        definition.get(PolicyKey.QUEUE_MODE) != null);
    requirePermitted(
        deprecated,
        DeprecatedFeature.CLASSIC_QUEUE_VERSION_1,
        PolicyKey.QUEUE_VERSION,
        Long.valueOf(1).equals(definition.get(PolicyKey.QUEUE_VERSION)));
  }

  /** With the text of RabbitMQ 4.3.6 for the first of them. */
  private static void requirePermitted(
      DeprecatedFeatures deprecated, DeprecatedFeature feature, PolicyKey key, boolean used) {
    if (used && !deprecated.use(feature)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "Validation failed\n\nuse of deprecated %s argument is not permitted\n"
              .formatted(key.wireName()));
    }
  }

  private void requireRoomFor(Policy policy, PolicyTable table) {
    try {
      table.requireRoomFor(List.of(policy), state.name());
    } catch (PolicyException e) {
      throw new ChannelException(ReplyCode.PRECONDITION_FAILED, e.getMessage());
    }
  }

  /**
   * Clears a policy or operator policy.
   *
   * @return false if there is none of this name; else true, when that is safe, and all exchanges
   *     and queues live without it
   */
  public CompletableFuture<Boolean> clear(PolicyKind kind, String policy) {
    return state
        .ask(() -> clearNow(kind, policy))
        .thenCompose(
            cleared ->
                cleared
                    ? applyNow().thenApply(done -> true)
                    : CompletableFuture.completedFuture(false));
  }

  private CompletableFuture<Boolean> clearNow(PolicyKind kind, String policy) {
    Topology topology = state.proposed();
    state.requireAlive(topology);
    if (topology.policies().policy(kind, policy) == null) {
      return table().policy(kind, policy) == null
          ? CompletableFuture.completedFuture(false)
          : state.askLater(() -> clearNow(kind, policy));
    }
    return changes
        .request(
            new MetadataCommand.PolicyCleared(state.name(), kind, policy),
            ChangeOrigin.of(Actor.BROKER))
        .thenApply(inForce -> true);
  }

  /** Uses other defaults from now on. Exchanges and queues live by them some time later. */
  void use(Defaults defaults) {
    use(table -> table.defaults().equals(defaults) ? table : table.with(defaults));
  }

  /**
   * Uses other policies for many virtual hosts from now on; see {@link
   * PolicyTable#withPoliciesForVhosts}. Exchanges and queues live by them some time later.
   *
   * @param policies returns them; asked again if a change before this one is undone
   */
  void use(Supplier<List<Policy>> policies) {
    use(table -> table.withPoliciesForVhosts(policies.get()));
  }

  /** What is not kept with the virtual host: each node derives it. */
  @SuppressWarnings("ReferenceEquality") // the same one if nothing changes
  private void use(UnaryOperator<PolicyTable> change) {
    CompletableFuture<Void> inForce;
    synchronized (state.lock()) {
      Topology topology = state.proposed();
      PolicyTable changed = change.apply(topology.policies());
      if (topology.deleted() || changed == topology.policies()) {
        return;
      }
      inForce = state.propose(topology.with(changed), List.of(), () -> {});
    }
    inForce.whenComplete(
        (done, undone) -> {
          if (undone == null) {
            refresh();
          } else {
            use(change);
          }
        });
  }

  /** What setting a policy, of this or of many virtual hosts, would do now; changes nothing. */
  public CompletableFuture<PolicyDryRun> dryRunSet(Policy policy) {
    return dryRun(table().with(policy));
  }

  /** What {@link #clear} would do now; changes nothing. */
  public CompletableFuture<PolicyDryRun> dryRunClear(PolicyKind kind, String policy) {
    return dryRun(table().without(kind, policy));
  }

  /** What clearing a policy for many virtual hosts would do here now; changes nothing. */
  public CompletableFuture<PolicyDryRun> dryRunClearForVhosts(PolicyKind kind, String policy) {
    return dryRun(table().withoutForVhosts(kind, policy));
  }

  /**
   * What a policy matches and to what of that it applies, together with the policies of this
   * moment: as if it were set, if it is not.
   */
  public PolicyReach reachOf(Policy policy) {
    Topology topology = state.current();
    return PolicyReach.of(
        topology.policies().with(policy),
        policy,
        topology.routing().queues().stream()
            .map(Queue::definition)
            .filter(queue -> !AutoDeadLetterQueue.is(queue))
            .map(queue -> PolicySubject.queue(queue.settings().type(), queue.name()))
            .toList(),
        topology.routing().exchanges().stream()
            .filter(exchange -> !exchange.isDefault())
            .map(exchange -> PolicySubject.exchange(exchange.name()))
            .toList());
  }

  /**
   * What counts for a queue, and where it came from.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 404
   */
  public EffectiveSettings explainQueue(String queue) {
    Queue found = state.routing().queue(queue);
    if (found == null) {
      throw state.errors().noQueue(queue);
    }
    PolicyTable counts = AutoDeadLetterQueue.is(found.definition()) ? PolicyTable.EMPTY : table();
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
    return table().explain(PolicySubject.exchange(exchange), exchange(exchange).arguments());
  }

  private ExchangeDefinition exchange(String name) {
    ExchangeDefinition found = state.routing().exchange(name);
    if (found == null) {
      throw state.errors().noExchange(name);
    }
    return found;
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
  static RoutingTable<Queue> add(
      RoutingTable<Queue> routing, ExchangeDefinition exchange, PolicyTable policies) {
    RoutingTable<Queue> changed = routing.withExchange(exchange);
    return policies.isEmpty() ? changed : withAlternate(changed, exchange, policies);
  }

  private static RoutingTable<Queue> withAlternate(
      RoutingTable<Queue> routing, ExchangeDefinition exchange, PolicyTable policies) {
    return exchange.isDefault()
        ? routing
        : routing.withAlternateExchange(exchange.name(), alternateOf(exchange, policies));
  }

  /**
   * Returns the alternate exchange that an exchange should have, or null. The exchange of events
   * has none: they are for those who may bind to it, and policies are set by others, too.
   */
  private static String alternateOf(ExchangeDefinition exchange, PolicyTable policies) {
    return exchange.name().equals(ExchangeDefinition.EVENT)
        ? null
        : policies.alternateExchangeOf(exchange.name(), exchange.arguments());
  }

  // Bringing up to date what is there

  /**
   * Sets a policy that was kept, and says so if it can no longer apply. With the lock held, before
   * anything else is brought back.
   */
  void replay(Policy policy) {
    if (policy.problem() != null) {
      LOGGER.warn(
          "{} in vhost '{}' applies to nothing: {}", policy, state.name(), policy.problem());
    }
    changes.replay(new MetadataCommand.PolicySet(state.name(), policy));
    state.routing().exchanges().forEach(this::settle);
  }

  /** Returns whether a command changes policies. */
  static boolean isChange(MetadataCommand command) {
    return command instanceof MetadataCommand.PolicySet
        || command instanceof MetadataCommand.PolicyCleared;
  }

  /**
   * Applies the policies in force to the exchanges, bindings and queues of this node, and makes the
   * dead letter queues that they want. A failure is logged.
   */
  public void refresh() {
    applyNow()
        .exceptionally(
            failure -> {
              LOGGER.warn(
                  "policies were not applied to all of vhost '{}': {}",
                  state.name(),
                  Causes.of(failure).getMessage());
              return null;
            });
  }

  /** The same. @return done when all live by the policies that are in force now */
  public CompletableFuture<Void> applyNow() {
    RoutingTable<Queue> routing = state.current().routing();
    return CompletableFuture.allOf(
        differing(routing.exchanges(), this::differs)
            .thenCompose(different -> state.someAtATime(different, this::settle)),
        differing(routing.bindings(), this::differs)
            .thenCompose(different -> state.someAtATime(different, this::settle)),
        QueueSweep.of(queues(), queue -> queue.onShard().applyPolicies()),
        autoDeadLetterQueues.get());
  }

  /** Deleted ones that can be brought back, too: the policies say for how long. */
  private List<Queue> queues() {
    Topology topology = state.current();
    List<Queue> queues = new ArrayList<>(topology.routing().queues());
    topology.kept().values().forEach(kept -> queues.add(kept.queue()));
    return queues;
  }

  /** Looks on the first shard: the thread that writes metadata has the changes of others to do. */
  private <T> CompletableFuture<List<T>> differing(List<T> all, Predicate<T> differs) {
    Shard home = state.home();
    List<T> different = new ArrayList<>();
    return home.call(() -> Slices.of(home, all, each -> addIf(differs, each, different)))
        .thenCompose(begun -> begun)
        .thenApply(done -> different);
  }

  private <T> void addIf(Predicate<T> differs, T each, List<T> different) {
    synchronized (state.lock()) {
      if (differs.test(each)) {
        different.add(each);
      }
    }
  }

  private boolean differs(ExchangeDefinition exchange) {
    Topology topology = state.current();
    RoutingTable<Queue> routing = topology.routing();
    return exchange.equals(routing.exchange(exchange.name()))
        && (withAlternate(routing, exchange, topology.policies()) != routing
            || idle.renewed(exchange, topology.policies()) != idle.current(exchange.name()));
  }

  private boolean differs(Binding binding) {
    Topology topology = state.current();
    RoutingTable<Queue> routing = topology.routing();
    return routing.contains(binding)
        && idle.renewed(routing, binding, topology.policies()) != idle.current(binding);
  }

  /** What is declared anew meanwhile has begun with the new policies. Within the lock. */
  private CompletableFuture<Void> settle(ExchangeDefinition exchange) {
    Topology topology = state.proposed();
    RoutingTable<Queue> routing = topology.routing();
    if (!exchange.equals(routing.exchange(exchange.name()))) {
      return VhostState.done();
    }
    IdleLease lease = idle.renewed(exchange, topology.policies());
    RoutingTable<Queue> changed = withAlternate(routing, exchange, topology.policies());
    if (!exchange.isDefault() && isAnother(exchange.name(), lease)) {
      changed = changed.withLease(exchange.name(), lease);
    }
    return changed == routing
        ? VhostState.done()
        : state.propose(
            topology.with(changed), List.of(), () -> idle.watch(exchange.name(), lease));
  }

  /** Within the lock. */
  private CompletableFuture<Void> settle(Binding binding) {
    Topology topology = state.proposed();
    RoutingTable<Queue> routing = topology.routing();
    if (!routing.contains(binding)) {
      return VhostState.done();
    }
    IdleLease lease = idle.renewed(routing, binding, topology.policies());
    return isAnother(binding, lease)
        ? state.propose(
            topology.with(routing.withLease(binding, lease)),
            List.of(),
            () -> idle.watch(binding, lease))
        : VhostState.done();
  }

  /** What is known of the leases is what is in force: another one may be on its way. */
  private boolean isAnother(Object subject, IdleLease lease) {
    return lease != idle.current(subject) || !state.isSettled();
  }

  private CompletableFuture<PolicyDryRun> dryRun(PolicyTable changed) {
    RoutingTable<Queue> routing = state.routing();
    List<PolicyDryRun.ExchangeChange> exchanges = new ArrayList<>();
    for (ExchangeDefinition exchange : routing.exchanges()) {
      String before = routing.alternateExchange(exchange.name());
      String after = alternateOf(exchange, changed);
      if (!exchange.isDefault() && !Objects.equals(before, after)) {
        exchanges.add(new PolicyDryRun.ExchangeChange(exchange.name(), before, after));
      }
    }
    Topology current = state.current();
    Topology after = current.with(changed);
    List<Queue> queues = new ArrayList<>();
    for (Queue queue : routing.queues()) {
      QueueDefinition definition = queue.definition();
      if (!current.settingsOf(definition).equals(after.settingsOf(definition))) {
        queues.add(queue);
      }
    }
    PolicyDryRun.Builder result =
        new PolicyDryRun.Builder(
            exchanges,
            queue ->
                new PolicyDryRun.Keys(keysOf(current.policies(), queue), keysOf(changed, queue)));
    return QueueSweep.of(queues, queue -> result.add(queue, after.settingsOf(queue.definition())))
        .thenApply(visited -> result.build());
  }
}
