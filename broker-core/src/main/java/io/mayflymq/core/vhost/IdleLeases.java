package io.mayflymq.core.vhost;

import io.mayflymq.core.policy.ExpiresArgument;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.retention.IdleLease;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.settings.QueueSettings;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/*
 * The exchanges and bindings of a virtual host that go when nobody uses them for too long.
 *
 * Their leases are in the routing table, so that a message finds them on its way; nothing is asked of messages that pass none. Here they stand in the
 * order in which they would end as far as was known, with one timer, on the first shard. When it fires, one that was used meanwhile
 * gets its new place.
 *
 * Everything but the timer is under the lock of the virtual host.
 *
 * Source: Azure Service Bus, "Message expiration", section "Idleness".
 */
final class IdleLeases extends Timer {
  /** Those of an exchange, by its name, and of a binding. */
  private record Entry(Object subject, IdleLease lease, long endMillis, long serial) {}

  private final VirtualHost vhost;
  private final Shard home;
  private final InstantSource clock;
  private final Object lock;
  private final Map<Object, Entry> bySubject = new HashMap<>();
  private final TreeSet<Entry> byEnd =
      new TreeSet<>(Comparator.comparingLong(Entry::endMillis).thenComparingLong(Entry::serial));
  private long serial;

  /**
   * Begins without any.
   *
   * @param lock that of the virtual host
   */
  IdleLeases(VirtualHost vhost, Shard home, InstantSource clock, Object lock) {
    this.vhost = vhost;
    this.home = home;
    this.clock = clock;
    this.lock = lock;
  }

  /**
   * An exchange, with the lease that it should have.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if its arguments are not valid
   */
  RoutingTable<Queue> settle(
      RoutingTable<Queue> table, ExchangeDefinition exchange, PolicyTable policies) {
    check(exchange, ExpiresArgument.OWN);
    check(exchange, ExpiresArgument.OF_BINDINGS);
    long period =
        exchange.name().isEmpty() || exchange.name().startsWith(NameErrors.RESERVED_PREFIX)
            ? QueueSettings.NONE
            : policies.exchangeExpiresOf(exchange.name(), exchange.arguments());
    Entry current = bySubject.get(exchange.name());
    IdleLease lease = lease(current, period);
    return watch(exchange.name(), current, lease) ? table.withLease(exchange.name(), lease) : table;
  }

  private void check(ExchangeDefinition exchange, String argument) {
    if (exchange.arguments().containsKey(argument)) {
      ExpiresArgument.of(
          exchange.arguments(),
          argument,
          "exchange '%s' in vhost '%s'".formatted(exchange.name(), vhost.name()));
    }
  }

  /** A binding, with the lease that it should have. Errors as for an exchange. */
  RoutingTable<Queue> settle(RoutingTable<Queue> table, Binding binding, PolicyTable policies) {
    ExchangeDefinition source = table.exchange(binding.source());
    long own = periodOf(binding);
    long bySource = policies.bindingExpiresOf(source.name(), source.arguments());
    long period =
        own == QueueSettings.NONE || bySource == QueueSettings.NONE
            ? Math.max(own, bySource)
            : Math.min(own, bySource);
    Entry current = bySubject.get(binding);
    IdleLease lease = lease(current, period);
    return watch(binding, current, lease) ? table.withLease(binding, lease) : table;
  }

  private long periodOf(Binding binding) {
    if (!binding.arguments().containsKey(ExpiresArgument.OWN)) {
      return QueueSettings.NONE;
    }
    return ExpiresArgument.of(
        binding.arguments(),
        ExpiresArgument.OWN,
        "binding from exchange '%s' in vhost '%s'".formatted(binding.source(), vhost.name()));
  }

  /** All, with the leases that they should have. */
  RoutingTable<Queue> settleAll(RoutingTable<Queue> table, PolicyTable policies) {
    RoutingTable<Queue> changed = table;
    for (ExchangeDefinition exchange : table.exchanges()) {
      changed = settle(changed, exchange, policies);
      for (Binding binding : table.bindingsFrom(exchange.name())) {
        changed = settle(changed, binding, policies);
      }
    }
    return changed;
  }

  private IdleLease lease(Entry current, long period) {
    if (period == QueueSettings.NONE) {
      return null;
    }
    return current == null
        ? new IdleLease(period, clock.millis())
        : current.lease.withPeriod(period);
  }

  /** Sees to it that a lease ends in time. @return whether it is another one than before */
  private boolean watch(Object subject, Entry current, IdleLease lease) {
    if (lease == (current == null ? null : current.lease)) {
      return false;
    }
    forget(subject);
    if (lease != null) {
      add(subject, lease);
      home.execute(this::await);
    }
    return true;
  }

  private void add(Object subject, IdleLease lease) {
    Entry entry = new Entry(subject, lease, lease.endMillis(), serial++);
    bySubject.put(subject, entry);
    byEnd.add(entry);
  }

  /** An exchange, given by its name, or a binding was used by something else than a message. */
  void used(Object subject) {
    Entry entry = bySubject.get(subject);
    if (entry != null) {
      entry.lease.used(clock.millis());
    }
  }

  /** A binding that somebody makes or removes is use of what it connects. */
  void usedEnds(RoutingTable<Queue> table, Binding binding) {
    used(binding.source());
    if (binding.destinationKind() == DestinationKind.EXCHANGE) {
      used(binding.destination());
      return;
    }
    Queue queue = table.queue(binding.destination());
    if (queue != null) {
      queue.used(LeaseUse.BIND);
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
    synchronized (lock) {
      next = byEnd.isEmpty() ? Deadlines.NEVER : byEnd.first().endMillis;
    }
    if (next < deadlineMillis()) {
      home.timers().schedule(this, next);
    }
  }

  @Override
  protected void fire(long nowMillis) {
    synchronized (lock) {
      while (!byEnd.isEmpty() && byEnd.first().endMillis <= nowMillis) {
        Entry entry = byEnd.first();
        forget(entry.subject);
        if (entry.lease.endMillis() <= nowMillis) {
          expire(entry.subject);
        } else {
          add(entry.subject, entry.lease);
        }
      }
    }
    await();
  }

  private void expire(Object subject) {
    if (subject instanceof Binding binding) {
      vhost.expire(table -> table.deleteBinding(binding));
    } else {
      vhost.expire(table -> table.deleteExchange((String) subject));
    }
  }
}
