package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.ExchangeDeleted;
import io.mayflymq.core.metadata.MetadataCommand.Unbound;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.IdleLease;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The exchanges and bindings of a virtual host that are deleted when they are unused for too long.
 *
 * <p>Their leases are in the routing table, so that a message finds them on its way; nothing is
 * asked of messages that pass none. Here they stand in the order in which they would end as far as
 * was known, with one timer, on the first shard. When it fires, one that was used meanwhile gets
 * its new place.
 *
 * <p>In a cluster each node knows of the use that it has seen itself. A node on which a lease has
 * ended asks the others before it deletes anything: it goes on to the time when the lease ends on
 * the last of them. Without an answer of a node that can be reached it tries again.
 *
 * <p>All their times are by a clock that nothing sets. The timer may fire early, when the clock of
 * the machine was set ahead.
 *
 * <p>Everything but the timer is under the lock of the virtual host.
 *
 * <p>Source: Azure Service Bus, "Message expiration", section "Idleness".
 */
final class IdleLeases extends Timer {
  /** When it is tried again to delete what is still there. */
  private static final long RETRY_MILLIS = 1_000;

  /** So many end at once; with more, those after them when these have gone. */
  private static final int AT_ONCE = 100;

  /** Those of an exchange, by its name, and of a binding. */
  private record Entry(Object subject, IdleLease lease, long endMillis, long serial) {}

  /** Deletes what was unused for too long. Within the lock of the virtual host. */
  interface Deletion {
    /** Deletes an exchange. */
    CompletableFuture<Void> expire(String exchange);

    /** Deletes a binding. */
    CompletableFuture<Void> expire(Binding binding);
  }

  private final VhostState state;
  private final Shard home;
  private final Supplier<Optional<Cluster>> cluster;
  private final Deletion deletion;
  private final Map<Object, Entry> bySubject = new HashMap<>();
  private final TreeSet<Entry> byEnd =
      new TreeSet<>(Comparator.comparingLong(Entry::endMillis).thenComparingLong(Entry::serial));
  private long serial;

  /** How many are being deleted. */
  private int underWay;

  /** When the timer is to fire. On the thread of the shard. */
  private long wakeAt = Deadlines.NEVER;

  /** Begins without any. */
  IdleLeases(VhostState state, Broker broker, Deletion deletion) {
    this.state = state;
    this.home = broker.partitions().get(0).shard();
    this.cluster = broker::cluster;
    this.deletion = deletion;
  }

  /** The lease of an exchange that is declared; null if it has none. */
  IdleLease leaseOf(ExchangeDefinition exchange, PolicyTable policies) {
    return lease(null, periodOf(exchange, policies));
  }

  private static long periodOf(ExchangeDefinition exchange, PolicyTable policies) {
    return exchange.name().isEmpty() || exchange.name().startsWith(Preconditions.RESERVED_PREFIX)
        ? QueueSettings.NONE
        : policies.exchangeExpiresOf(exchange.name(), exchange.arguments());
  }

  /** The lease of a binding that is made; null if it has none. */
  IdleLease leaseOf(RoutingTable<Queue> table, Binding binding, PolicyTable policies) {
    return lease(null, periodOf(table.exchange(binding.source()), binding, policies));
  }

  private long periodOf(ExchangeDefinition source, Binding binding, PolicyTable policies) {
    long own = DeclarationRules.expiresOf(binding, state.name());
    long bySource = policies.bindingExpiresOf(source.name(), source.arguments());
    return own == QueueSettings.NONE || bySource == QueueSettings.NONE
        ? Math.max(own, bySource)
        : Math.min(own, bySource);
  }

  private IdleLease lease(IdleLease current, long period) {
    if (period == QueueSettings.NONE) {
      return null;
    }
    return current == null
        ? new IdleLease(period, home.steadyMillis())
        : current.withPeriod(period);
  }

  /**
   * The lease that an exchange that is there should have by these policies: the one that it has if
   * nothing is to change.
   */
  IdleLease renewed(ExchangeDefinition exchange, PolicyTable policies) {
    return lease(current(exchange.name()), periodOf(exchange, policies));
  }

  /** The same for a binding. */
  IdleLease renewed(RoutingTable<Queue> table, Binding binding, PolicyTable policies) {
    return lease(current(binding), periodOf(table.exchange(binding.source()), binding, policies));
  }

  /** The lease of an exchange, given by its name, or of a binding; null if it has none. */
  IdleLease current(Object subject) {
    Entry entry = bySubject.get(subject);
    return entry == null ? null : entry.lease;
  }

  /** Sees to it that the lease of something that is there ends in time; null if it has none. */
  void watch(Object subject, IdleLease lease) {
    if (lease != current(subject)) {
      forget(subject);
      if (lease != null) {
        add(subject, lease, lease.endMillis());
        home.execute(this::await);
      }
    }
  }

  private void add(Object subject, IdleLease lease, long endMillis) {
    Entry entry = new Entry(subject, lease, endMillis, serial++);
    bySubject.put(subject, entry);
    byEnd.add(entry);
  }

  /** An exchange, given by its name, or a binding was used by something else than a message. */
  void used(Object subject) {
    Entry entry = bySubject.get(subject);
    if (entry != null) {
      entry.lease.used(home.steadyMillis());
    }
  }

  /** Adding or removing a binding is use of what it connects. */
  void usedEnds(RoutingTable<Queue> table, Binding binding) {
    used(binding.source());
    if (binding.destinationKind() == DestinationKind.EXCHANGE) {
      used(binding.destination());
      return;
    }
    Queue queue = table.queue(binding.destination());
    if (queue != null) {
      queue.requests().used(LeaseUse.BIND);
    }
  }

  /** One has gone. */
  void forget(Object subject) {
    Entry entry = bySubject.remove(subject);
    if (entry != null) {
      byEnd.remove(entry);
    }
  }

  private void await() {
    long next;
    synchronized (state.lock()) {
      // What ends while others are being deleted waits until they have gone.
      next = byEnd.isEmpty() || underWay > 0 ? Deadlines.NEVER : byEnd.first().endMillis;
    }
    if (next < wakeAt) {
      wakeAt = next;
      home.scheduleSteady(this, next);
    }
  }

  @Override
  protected void fire(long atMillis) {
    wakeAt = Deadlines.NEVER;
    long nowMillis = home.steadyMillis();
    List<Object> ended = new ArrayList<>();
    synchronized (state.lock()) {
      if (underWay > 0) {
        return;
      }
      for (int i = 0;
          i < AT_ONCE && !byEnd.isEmpty() && byEnd.first().endMillis <= nowMillis;
          i++) {
        Entry entry = byEnd.first();
        forget(entry.subject);
        long end = entry.lease.endMillis();
        if (end > nowMillis) {
          add(entry.subject, entry.lease, end);
        } else {
          // Until it has gone, and if it cannot be deleted now.
          add(entry.subject, entry.lease, Deadlines.after(nowMillis, RETRY_MILLIS));
          ended.add(entry.subject);
        }
      }
      if (cluster.get().isEmpty()) {
        ended.forEach(this::expire);
      }
    }
    if (cluster.get().isPresent() && !ended.isEmpty()) {
      askOthers(ended);
    }
    await();
  }

  private void askOthers(List<Object> ended) {
    List<MetadataCommand> deletions = ended.stream().map(this::deletionOf).toList();
    cluster
        .get()
        .orElseThrow()
        .leasesElsewhere(deletions)
        .thenAccept(leases -> home.execute(() -> decide(ended, leases)));
  }

  private MetadataCommand deletionOf(Object subject) {
    return subject instanceof Binding binding
        ? new Unbound(state.name(), binding)
        : new ExchangeDeleted(state.name(), (String) subject);
  }

  private void decide(List<Object> ended, long[] millisElsewhere) {
    synchronized (state.lock()) {
      long now = home.steadyMillis();
      for (int i = 0; i < ended.size(); i++) {
        IdleLease lease = current(ended.get(i));
        if (lease == null) {
          continue; // It has gone meanwhile.
        }
        // The lease itself stays as it is: it tells other nodes of the use that this one has seen.
        long end = Math.max(lease.endMillis(), Deadlines.after(now, millisElsewhere[i]));
        if (end > now) {
          forget(ended.get(i));
          add(ended.get(i), lease, end);
        } else {
          expire(ended.get(i));
        }
      }
    }
    await();
  }

  /**
   * Returns how long something lasts by the use that this node has seen, for another one that would
   * delete it.
   *
   * @return in ms; 0 if its lease has ended, or it has none
   */
  long leaseMillis(MetadataCommand deletion) {
    Object subject =
        deletion instanceof Unbound unbound
            ? unbound.binding()
            : ((ExchangeDeleted) deletion).exchange();
    synchronized (state.lock()) {
      IdleLease lease = current(subject);
      return lease == null ? 0 : Math.max(0, lease.endMillis() - home.steadyMillis());
    }
  }

  private void expire(Object subject) {
    CompletableFuture<Void> gone =
        subject instanceof Binding binding
            ? deletion.expire(binding)
            : deletion.expire((String) subject);
    underWay++;
    gone.whenComplete((done, failure) -> home.execute(this::over));
  }

  private void over() {
    synchronized (state.lock()) {
      underWay--;
    }
    await();
  }
}
