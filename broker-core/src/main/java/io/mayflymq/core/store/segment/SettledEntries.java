package io.mayflymq.core.store.segment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The marks about one segment, for looking up which entries of each queue are gone. */
final class SettledEntries {
  private record Range(long from, long to) {}

  private final Map<Long, List<Range>> ranges = new HashMap<>();
  private Map<Long, NavigableMap<Long, Long>> joined;

  void add(long queueId, long from, long to) {
    List<Range> ofQueue = ranges.computeIfAbsent(queueId, key -> new ArrayList<>());
    Range last = ofQueue.isEmpty() ? null : ofQueue.get(ofQueue.size() - 1);
    if (last != null && from == last.to + 1) {
      ofQueue.set(ofQueue.size() - 1, new Range(last.from, to));
    } else {
      ofQueue.add(new Range(from, to));
    }
  }

  /** Whether an entry of the segment is gone. No more marks may be added then. */
  boolean has(long queueId, long sequence) {
    if (joined == null) {
      joined = new HashMap<>();
      ranges.forEach((queue, ofQueue) -> joined.put(queue, join(ofQueue)));
      ranges.clear();
    }
    NavigableMap<Long, Long> ofQueue = joined.get(queueId);
    Map.Entry<Long, Long> range = ofQueue == null ? null : ofQueue.floorEntry(sequence);
    return range != null && range.getValue() >= sequence;
  }

  private static NavigableMap<Long, Long> join(List<Range> ranges) {
    ranges.sort(Comparator.comparingLong(Range::from));
    NavigableMap<Long, Long> joined = new TreeMap<>();
    for (Range range : ranges) {
      Map.Entry<Long, Long> last = joined.lastEntry();
      if (last != null && last.getValue() >= range.from) {
        joined.put(last.getKey(), Math.max(last.getValue(), range.to));
      } else {
        joined.put(range.from, range.to);
      }
    }
    return joined;
  }
}
