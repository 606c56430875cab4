package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.vhost.queue.Queue;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The queues that have moved away from this node, and that send on what still arrives for them. Of
 * many the last ones are kept. Any thread may call.
 */
public final class DepartedQueues {
  private static final int MOST = 1_000;

  private final Map<Long, Queue> byId = new LinkedHashMap<>();

  /** Adds a queue that has moved, if it was on this node. */
  public synchronized void add(Queue queue) {
    if (queue.isLocal()) {
      byId.put(queue.id(), queue);
      if (byId.size() > MOST) {
        byId.remove(byId.keySet().iterator().next());
      }
    }
  }

  /** Returns the one with this id; null if there is none. */
  public synchronized Queue get(long id) {
    return byId.get(id);
  }
}
