package io.mayflymq.server.cluster.replication;

import io.mayflymq.server.config.ReconciliationSettings;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Has queues grow to their target sizes, at the right times. Belongs to one thread.
 *
 * <p>When members are reconciled: at intervals, and some time after something has changed that they
 * depend on. RabbitMQ begins that time anew with each further change; here it runs from the first
 * one, so that changes that go on for ever do not keep members from being reconciled.
 *
 * <p>The node does it that leads the decisions of the cluster. One that begins to lead takes all
 * for changed.
 */
final class Reconciliation {
  /** How often it is to look, in ms. */
  static final int LOOK_MILLIS = 1_000;

  /**
   * What members depend on.
   *
   * @param candidates the nodes that can keep replicas
   * @param sources what the target sizes depend on: each is the same object as long as it has not
   *     changed
   */
  record Seen(Set<Integer> candidates, List<Object> sources) {
    boolean isSame(Seen other) {
      boolean same = candidates.equals(other.candidates) && sources.size() == other.sources.size();
      for (int i = 0; same && i < sources.size(); i++) {
        same = isSameObject(sources.get(i), other.sources.get(i));
      }
      return same;
    }

    @SuppressWarnings("ReferenceEquality") // to compare what they have would take long
    private static boolean isSameObject(Object one, Object other) {
      return one == other;
    }
  }

  private final ReconciliationSettings settings;
  private final Supplier<Seen> view;
  private final BooleanSupplier work;
  private Seen last;
  private long dueMillis;

  /**
   * @param work has queues grow by one replica where they are to, and returns whether there were
   *     any
   */
  Reconciliation(ReconciliationSettings settings, Supplier<Seen> view, BooleanSupplier work) {
    this.settings = settings;
    this.view = view;
    this.work = work;
  }

  /**
   * Does what is due.
   *
   * @param leads whether this node leads the decisions of the cluster
   * @param nowMillis the time by a monotonic clock
   */
  void look(boolean leads, long nowMillis) {
    if (!leads) {
      last = null;
      return;
    }
    Seen now = view.get();
    long triggered = nowMillis + settings.triggerIntervalMillis();
    if (last == null) {
      dueMillis = triggered;
    } else if (!now.isSame(last)) {
      dueMillis = Math.min(dueMillis, triggered);
    }
    last = now;
    if (nowMillis >= dueMillis) {
      dueMillis = work.getAsBoolean() ? triggered : nowMillis + settings.intervalMillis();
    }
  }
}
