package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.SegmentLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The queues of a partition that have, or had since the start, messages with a location; at start,
 * all queues. Belongs to the shard's thread, except that any thread may add queues at start.
 */
final class QueueList {
  private final Map<Long, DiskQueueStore> queues = new ConcurrentHashMap<>();
  private final List<DiskQueueStore> delivered = new ArrayList<>();
  private final List<DiskQueueStore> returned = new ArrayList<>();

  void add(DiskQueueStore queue) {
    queues.put(queue.id, queue);
  }

  void remove(DiskQueueStore queue) {
    queues.remove(queue.id);
  }

  /** Removes a queue that was deleted: nothing more is noted about it. */
  void forget(DiskQueueStore queue) {
    remove(queue);
    delivered.remove(queue);
    returned.remove(queue);
  }

  /** Returns the queue of this id; null if it is not listed. */
  DiskQueueStore get(long queueId) {
    return queues.get(queueId);
  }

  Collection<DiskQueueStore> all() {
    return queues.values();
  }

  /** Called when messages of a queue were delivered for the first time since the last note. */
  void hasDelivered(DiskQueueStore queue) {
    delivered.add(queue);
  }

  /** Called when messages of a queue were returned for the first time since the last note. */
  void hasReturned(DiskQueueStore queue) {
    returned.add(queue);
  }

  /** Writes notes of what was delivered and returned since the last call. */
  void note(SegmentLog log) {
    for (DiskQueueStore queue : delivered) {
      log.delivered(queue.id, queue.logDelivered());
    }
    delivered.clear();
    for (DiskQueueStore queue : returned) {
      log.returned(queue.id, queue.logReturned(), false);
    }
    returned.clear();
  }
}
