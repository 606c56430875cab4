package io.mayflymq.core.routing;

import java.util.Collection;
import java.util.List;

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
  private static final Route<Object> NONE = new Route<>(NO_QUEUES, true);
  private static final Route<Object> NONE_THIS_TIME = new Route<>(NO_QUEUES, false);

  private final Object[] queues;
  private final boolean reusable;

  private Route(Object[] queues, boolean reusable) {
    this.queues = queues;
    this.reusable = reusable;
  }

  /** The route to no queue. */
  @SuppressWarnings("unchecked") // it holds no Q
  public static <Q> Route<Q> none() {
    return (Route<Q>) NONE;
  }

  static <Q> Route<Q> of(Q queue) {
    return new Route<>(new Object[] {queue}, true);
  }

  @SuppressWarnings("unchecked") // none holds a Q
  static <Q> Route<Q> of(Collection<QueueNode<Q>> nodes, boolean reusable) {
    if (nodes.isEmpty()) {
      return (Route<Q>) (reusable ? NONE : NONE_THIS_TIME);
    }
    Object[] queues = new Object[nodes.size()];
    int i = 0;
    for (QueueNode<Q> node : nodes) {
      queues[i++] = node.handle();
    }
    return new Route<>(queues, reusable);
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
   * Whether every message with the same exchange and routing keys takes this route, as long as the
   * table is the same: then a channel may keep it. False once a headers exchange was asked.
   */
  public boolean isReusable() {
    return reusable;
  }

  @Override
  public String toString() {
    return "Route" + toList();
  }
}
