package io.mayflymq.core.routing;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.IdleLease;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The queues that a message goes to, each once. Immutable; often the same object for many messages.
 *
 * <p>{@link #get} and {@link #size} are for the publish path, where an iterator would be one object
 * per message.
 *
 * @param <Q> the handle of a queue
 */
public final class Route<Q> {
  private static final Object[] NO_QUEUES = {};
  private static final Route<Object> NONE = new Route<>(NO_QUEUES, List.of(), true);
  private static final Route<Object> NONE_THIS_TIME = new Route<>(NO_QUEUES, List.of(), false);

  private final Object[] queues;
  private final List<RecentHistory> histories;
  private final boolean reusable;

  /** Null if there are none, which is nearly always so. */
  private final IdleLease[] leases;

  private Route(Object[] queues, List<RecentHistory> histories, boolean reusable) {
    this(queues, histories, reusable, null);
  }

  private Route(
      Object[] queues, List<RecentHistory> histories, boolean reusable, IdleLease[] leases) {
    this.queues = queues;
    this.histories = histories;
    this.reusable = reusable;
    this.leases = leases;
  }

  /** The same, where each message is use of these, too. */
  Route<Q> using(Collection<IdleLease> used) {
    return used.isEmpty()
        ? this
        : new Route<>(queues, histories, reusable, used.toArray(IdleLease[]::new));
  }

  /** A message takes this route: exchanges and bindings on the way are used. */
  public void used(InstantSource clock) {
    if (leases != null) {
      long now = clock.millis();
      for (IdleLease lease : leases) {
        lease.used(now);
      }
    }
  }

  /** The route to no queue. */
  @SuppressWarnings("unchecked") // it holds no Q
  public static <Q> Route<Q> none() {
    return (Route<Q>) NONE;
  }

  static <Q> Route<Q> of(Q queue) {
    return new Route<>(new Object[] {queue}, List.of(), true);
  }

  @SuppressWarnings("unchecked") // none holds a Q
  static <Q> Route<Q> of(
      Collection<QueueNode<Q>> nodes, List<RecentHistory> histories, boolean reusable) {
    if (nodes.isEmpty() && histories.isEmpty()) {
      return (Route<Q>) (reusable ? NONE : NONE_THIS_TIME);
    }
    Object[] queues = new Object[nodes.size()];
    int i = 0;
    for (QueueNode<Q> node : nodes) {
      queues[i++] = node.handle();
    }
    return new Route<>(queues, List.copyOf(histories), reusable);
  }

  /** How many queues there are; 0 makes a mandatory message come back as 312 NO_ROUTE. */
  public int size() {
    return queues.length;
  }

  public boolean isEmpty() {
    return queues.length == 0;
  }

  /**
   * The queue at a place, 0 to {@link #size} - 1.
   *
   * @throws ArrayIndexOutOfBoundsException if there is no such place
   */
  @SuppressWarnings("unchecked") // only handles of Q get in
  public Q get(int index) {
    return (Q) queues[index];
  }

  /** All queues, as an unmodifiable list. */
  @SuppressWarnings("unchecked") // only handles of Q get in
  public List<Q> toList() {
    return (List<Q>) List.of(queues);
  }

  /**
   * The same way to other queues.
   *
   * @param successor gives for each queue the one in its place, or null if there is none
   */
  @SuppressWarnings("unchecked") // only handles of Q get in
  public Route<Q> map(UnaryOperator<Q> successor) {
    Object[] others =
        Arrays.stream(queues)
            .map(queue -> successor.apply((Q) queue))
            .filter(Objects::nonNull)
            .toArray();
    return new Route<>(others, histories, false, leases);
  }

  /** Has the exchanges on the way that remember messages remember this one. */
  public void remember(Message message) {
    if (!histories.isEmpty()) {
      histories.forEach(history -> history.add(message));
    }
  }

  /**
   * Whether every message with the same exchange and routing keys takes this route, as long as the
   * table is the same: then a channel may keep it. False once an exchange was asked that looks at
   * more than the keys, or at chance.
   */
  public boolean isReusable() {
    return reusable;
  }

  @Override
  public String toString() {
    return "Route" + toList();
  }
}
