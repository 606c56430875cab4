package io.mayflymq.core.routing;

import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.IdleLease;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The queues that a message goes to, each once. Immutable; often the same object for many messages.
 *
 * <p>Queues that are reached only through a delayed exchange come last: a message that requests a
 * delay is published to them later.
 *
 * <p>{@link #get} and {@link #size} are for the publish path, where an iterator would be one object
 * per message.
 *
 * @param <Q> the handle of a queue
 */
public final class Route<Q> {
  private static final Object[] NO_QUEUES = {};
  private static final Route<Object> NONE = new Route<>(NO_QUEUES, 0, List.of(), 0, true);
  private static final Route<Object> NONE_THIS_TIME =
      new Route<>(NO_QUEUES, 0, List.of(), 0, false);

  private final Object[] queues;
  private final int undelayed;
  private final List<RecentHistory> histories;
  private final int undelayedHistories;
  private final boolean reusable;

  /** Null if there are none, which is nearly always so. */
  private final IdleLease[] leases;

  private Route(
      Object[] queues,
      int undelayed,
      List<RecentHistory> histories,
      int undelayedHistories,
      boolean reusable) {
    this(queues, undelayed, histories, undelayedHistories, reusable, null);
  }

  private Route(
      Object[] queues,
      int undelayed,
      List<RecentHistory> histories,
      int undelayedHistories,
      boolean reusable,
      IdleLease[] leases) {
    this.queues = queues;
    this.undelayed = undelayed;
    this.histories = histories;
    this.undelayedHistories = undelayedHistories;
    this.reusable = reusable;
    this.leases = leases;
  }

  /** Returns the same route, where each message also counts as a use of these leases. */
  public Route<Q> using(Collection<IdleLease> used) {
    return used.isEmpty()
        ? this
        : new Route<>(
            queues,
            undelayed,
            histories,
            undelayedHistories,
            reusable,
            used.toArray(IdleLease[]::new));
  }

  /** Returns the same route, which is not {@linkplain #isReusable reusable}. */
  @SuppressWarnings("unchecked") // what is empty holds no Q
  public Route<Q> thisTime() {
    return isEmpty() && histories.isEmpty() && leases == null
        ? (Route<Q>) NONE_THIS_TIME
        : new Route<>(queues, undelayed, histories, undelayedHistories, false, leases);
  }

  /**
   * Called when a message takes this route: exchanges and bindings on it are used.
   *
   * @param clock returns the time that leases go by; asked only if there are any
   */
  public void used(LongSupplier clock) {
    if (leases != null) {
      long now = clock.getAsLong();
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

  /** The route to one queue. */
  public static <Q> Route<Q> of(Q queue) {
    return new Route<>(new Object[] {queue}, 1, List.of(), 0, true);
  }

  /** Returns the route to these queues, without delayed exchanges. */
  public static <Q> Route<Q> to(List<Q> queues) {
    return new Route<>(queues.toArray(), queues.size(), List.of(), 0, false);
  }

  static <Q> Route<Q> of(Collection<QueueNode<Q>> nodes) {
    return of(nodes, nodes.size(), List.of(), 0, true);
  }

  /**
   * Creates a route over several exchanges.
   *
   * @param undelayed how many of the queues, the first ones, are reached without a delay
   * @param undelayedHistories how many of the histories, the first ones, are reached without a
   *     delay
   */
  @SuppressWarnings("unchecked") // none holds a Q
  public static <Q> Route<Q> of(
      Collection<QueueNode<Q>> nodes,
      int undelayed,
      List<RecentHistory> histories,
      int undelayedHistories,
      boolean reusable) {
    if (nodes.isEmpty() && histories.isEmpty()) {
      return (Route<Q>) (reusable ? NONE : NONE_THIS_TIME);
    }
    Object[] queues = new Object[nodes.size()];
    int i = 0;
    for (QueueNode<Q> node : nodes) {
      queues[i++] = node.handle();
    }
    return new Route<>(queues, undelayed, List.copyOf(histories), undelayedHistories, reusable);
  }

  /**
   * Returns how many queues there are; with 0 a mandatory message is returned with 312 NO_ROUTE.
   */
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
   * Returns the same route with other queues.
   *
   * @param successor returns for each queue the one that replaces it, or null if there is none
   */
  @SuppressWarnings({"unchecked", "ReferenceEquality"}) // only handles of Q get in
  public Route<Q> map(UnaryOperator<Q> successor) {
    Object[] others = null;
    int count = 0;
    int stay = 0;
    for (int i = 0; i < queues.length; i++) {
      Object other = successor.apply((Q) queues[i]);
      if (other != queues[i] && others == null) {
        others = queues.clone();
      }
      if (other != null) {
        if (others != null) {
          others[count] = other;
        }
        count++;
        stay += i < undelayed ? 1 : 0;
      }
    }
    return others == null
        ? this
        : new Route<>(
            Arrays.copyOf(others, count), stay, histories, undelayedHistories, false, leases);
  }

  /** Whether the route contains a delayed exchange: then a message may request a delay. */
  public boolean isDelayed() {
    return undelayed < queues.length || undelayedHistories < histories.size();
  }

  /**
   * Returns how long a message is delayed for the queues behind delayed exchanges, in ms; 0 if
   * there are none, or if it requests no delay, or one that is too long.
   *
   * @param nowMillis the time, in ms since the epoch
   */
  public long delayOf(Message message, long nowMillis) {
    long asked = isDelayed() ? Delay.of(message.headers(), nowMillis) : 0;
    return asked > Delay.LONGEST_MILLIS ? 0 : asked;
  }

  /**
   * Returns how many of the queues, the first ones, get a message at once that requests a delay.
   */
  public int undelayed() {
    return undelayed;
  }

  /**
   * Adds this message to the histories of the exchanges on the route, if it arrives there now.
   *
   * @param clock returns the time, in ms since the epoch; asked only if there are any
   */
  public void remember(Message message, LongSupplier clock) {
    if (!histories.isEmpty()) {
      histories.stream()
          .limit(delayOf(message, clock.getAsLong()) > 0 ? undelayedHistories : histories.size())
          .forEach(history -> history.add(message));
    }
  }

  /**
   * Whether every message with the same exchange and routing keys takes this route, as long as the
   * table is the same: then a channel may cache it. False if an exchange on it uses more than the
   * keys, or chooses at random.
   */
  public boolean isReusable() {
    return reusable;
  }

  @Override
  public String toString() {
    return "Route" + toList();
  }
}
