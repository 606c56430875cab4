package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand.VhostPolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Policies and operator policies for all virtual hosts in whose names a pattern is found, also for
 * those that come later. They count together with the policies of each virtual host ({@link
 * PolicyTable}), and are apart from them: one of the same name may be there, too.
 */
public final class PoliciesForVhosts {
  private final ChangeLog changes;
  private final Broker broker;

  PoliciesForVhosts(ChangeLog changes, Broker broker) {
    this.changes = changes;
    this.broker = broker;
  }

  /** All of both kinds, by kind and name. */
  public List<Policy> list() {
    return changes.current().policies().values().toJavaList().stream()
        .sorted(Comparator.comparing(Policy::kind).thenComparing(Policy::name))
        .toList();
  }

  /** The policy of this kind and name, or null if there is none. */
  public Policy get(PolicyKind kind, String name) {
    return changes.current().policy(kind, name);
  }

  /** The virtual hosts of this moment that a policy is for, by name. */
  public List<VirtualHost> vhostsOf(Policy policy) {
    return broker.virtualHosts().stream()
        .filter(vhost -> policy.isForVhost(vhost.name()))
        .sorted(Comparator.comparing(VirtualHost::name))
        .toList();
  }

  /**
   * Sets a policy, in place of the one with the same kind and name.
   *
   * @param policy one that {@linkplain Policy#isForVhosts is for many virtual hosts}
   * @return completed when it is safe and all exchanges and queues of this moment live by it, with
   *     whether it is new
   * @throws AdministrationException INVALID_NAME; NO_ROOM if the patterns of all of them together
   *     would be too large
   * @throws io.mayflymq.protocol.types.ChannelException 406 if a key is deprecated and denied
   */
  public CompletableFuture<Boolean> set(Policy policy) {
    if (!policy.isForVhosts()) {
      throw new IllegalArgumentException(policy + " is for one virtual host");
    }
    Checks.name("policy", policy.name());
    broker.requirePermitted(policy.definition());
    return changes.ask(
        () -> {
          requireRoom(changes.proposed().policies().values(), List.of(policy));
          Policy before = changes.proposed().policy(policy.kind(), policy.name());
          return changes
              .request(new VhostPolicySet(policy))
              .thenCompose(inForce -> applyNow(policy, before))
              .thenApply(applied -> before == null);
        });
  }

  /**
   * Checks whether there is room for policies in addition to those of this moment.
   *
   * @param added those that {@linkplain Policy#isForVhosts are for many virtual hosts}
   * @throws AdministrationException NO_ROOM as in {@link #set}
   */
  public void requireRoomFor(List<Policy> added) {
    requireRoom(changes.current().policies().values(), added);
  }

  private static void requireRoom(Iterable<Policy> present, List<Policy> added) {
    long before = 0;
    long after = added.stream().mapToLong(PoliciesForVhosts::sizeOf).sum();
    for (Policy each : present) {
      before += sizeOf(each);
      boolean isReplaced =
          added.stream()
              .anyMatch(one -> one.kind() == each.kind() && one.name().equals(each.name()));
      after += isReplaced ? 0 : sizeOf(each);
    }
    if (after > PolicyTable.MAX_PATTERNS_SIZE && after > before) {
      throw AdministrationException.noRoom(
          "the patterns of all policies for many virtual hosts would be too large: with repetitions"
              + " written out they may have %d characters",
          PolicyTable.MAX_PATTERNS_SIZE);
    }
  }

  private static long sizeOf(Policy policy) {
    return policy.patternSize() + policy.vhostsSize();
  }

  /**
   * Clears a policy.
   *
   * @return completed when that is safe and all exchanges and queues live without it; false if
   *     there is none of this kind and name
   */
  public CompletableFuture<Boolean> clear(PolicyKind kind, String name) {
    return changes.ask(
        () -> {
          Policy before = changes.proposed().policy(kind, name);
          return before == null
              ? changes.unchanged(false, () -> clear(kind, name))
              : changes
                  .request(new VhostPolicyCleared(kind, name))
                  .thenCompose(inForce -> applyNow(before, before))
                  .thenApply(applied -> true);
        });
  }

  private CompletableFuture<Void> applyNow(Policy now, Policy before) {
    return CompletableFuture.allOf(
        broker.virtualHosts().stream()
            .filter(
                vhost ->
                    now.isForVhost(vhost.name())
                        || (before != null && before.isForVhost(vhost.name())))
            .map(vhost -> vhost.policies().applyNow())
            .toArray(CompletableFuture<?>[]::new));
  }
}
