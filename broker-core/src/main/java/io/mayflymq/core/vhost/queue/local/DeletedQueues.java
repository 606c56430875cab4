package io.mayflymq.core.vhost.queue.local;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the deleted queues of a virtual host have on this node that can be brought back, by the
 * numbers of the queues. Any thread may call.
 */
public final class DeletedQueues {
  private final Map<Long, KeptMessages> byId = new ConcurrentHashMap<>();

  void put(long id, KeptMessages kept) {
    byId.put(id, kept);
  }

  /** Returns that of a queue; null if it has none here. */
  KeptMessages get(long id) {
    return byId.get(id);
  }

  /** Returns how many there are. */
  public int count() {
    return byId.size();
  }

  /** Returns how many bytes their messages count that can be brought back. */
  public long bytes() {
    return byId.values().stream().mapToLong(KeptMessages::shownBytes).sum();
  }

  void remove(long id, KeptMessages kept) {
    byId.remove(id, kept);
  }
}
