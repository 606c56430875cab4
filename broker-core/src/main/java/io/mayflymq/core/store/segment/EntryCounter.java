package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.LogCheck.QueueCount;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the entries of each queue in a log, and collects the queues' names. */
final class EntryCounter {
  private final Map<Long, Count> counts = new TreeMap<>();

  private static final class Count {
    QueueName name;
    long knownSince;
    long live;

    QueueCount of(long id) {
      return new QueueCount(id, name, knownSince, live);
    }
  }

  private Count count(long id) {
    return counts.computeIfAbsent(StoreIds.queueOf(id), absent -> new Count());
  }

  /**
   * Counts an entry under this id, of a queue or derived from one by {@link
   * io.mayflymq.core.store.StoreIds}.
   */
  void has(long id) {
    count(id).live++;
  }

  /** Adds a note with a queue's name. */
  void named(long id, long metadataSeen, QueueName name) {
    if (name != null) {
      Count count = count(id);
      count.knownSince =
          count.name == null ? metadataSeen : Math.min(count.knownSince, metadataSeen);
      count.name = name;
    }
  }

  /** Returns the queues with entries, by their ids. */
  List<QueueCount> all() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getValue().live > 0)
        .map(entry -> entry.getValue().of(entry.getKey()))
        .toList();
  }
}
