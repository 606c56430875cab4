package io.mayflymq.core.store.segment.recovery;

import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.recovery.LogCheck.QueueCount;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts what each queue has in a log, and collects what they are called. */
final class QueueCounts {
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

  /** There is an entry under this id, of a queue or beside it. */
  void has(long id) {
    count(id).live++;
  }

  /** A note tells what a queue is called. */
  void named(long id, long metadataSeen, QueueName name) {
    if (name != null) {
      Count count = count(id);
      count.knownSince =
          count.name == null ? metadataSeen : Math.min(count.knownSince, metadataSeen);
      count.name = name;
    }
  }

  /** Those that have anything, by their ids. */
  List<QueueCount> all() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getValue().live > 0)
        .map(entry -> entry.getValue().of(entry.getKey()))
        .toList();
  }
}
