package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.CopiedMessages;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.queue.index.TimeStops;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * When the time of a queue stood still, kept where its messages are kept.
 *
 * <p>They are in a hidden queue beside it, with a store of its own, as entries without content: one
 * for each interval. Where a message has the time of its arrival, an entry has the beginning; where
 * a message has its deadline, the end. So the log, its replicas, its compaction and its recovery
 * need not know about them, and the log says when time stood still rather than what is to be added
 * to deadlines: saying it twice changes nothing. Belongs to the queue's shard.
 */
final class StoppedTimes {
  /** With more intervals than this the two oldest are joined. */
  static final int MOST = 1_024;

  private static final long NONE = -1;

  private static final Message ENTRY =
      Message.ofBroker(
          "", ShortString.of(""), BasicProperties.builder().deliveryMode(2).build(), new byte[0]);

  private final QueueMessages entries;
  private final MessageIndex<Message> index;

  /** The numbers of the entries by the beginning of the interval. */
  private final TreeMap<Long, Long> byBeginning = new TreeMap<>();

  private TimeStops stops = TimeStops.NONE;

  StoppedTimes(PagePool pages, QueueStore store) {
    entries = new QueueMessages(pages, store, QueueSettings.DEFAULT);
    index = entries.index();
  }

  /** Starts, with what the store has recovered meanwhile; called once, before anything else. */
  void start() {
    entries.finishRecovery(0, (sequence, returns, untilMillis) -> {}, sequence -> {});
    for (long each = index.nextReady(NONE); each >= 0; each = index.nextReady(each)) {
      Long other = byBeginning.get(index.enqueuedAt(each));
      if (other == null) {
        byBeginning.put(index.enqueuedAt(each), each);
      } else if (index.deadline(other) == TimeStops.OPEN) {
        // It ended, and the entry that had not was still to be settled.
        remove(other);
        byBeginning.put(index.enqueuedAt(each), each);
      } else {
        remove(each);
      }
    }
    changed();
  }

  /** Returns when time stood still. */
  TimeStops stops() {
    return stops;
  }

  /** Time stands still from now on. It has gone on so far. */
  void begin(long nowMillis) {
    long begin = nowMillis;
    if (!byBeginning.isEmpty()) {
      begin = Math.max(begin, index.deadline(byBeginning.lastEntry().getValue()));
    }
    put(begin, TimeStops.OPEN);
    if (byBeginning.size() > MOST) {
      join();
    }
    changed();
  }

  /** Time goes on. It stands still. */
  void end(long nowMillis) {
    long begin = byBeginning.lastKey();
    long open = byBeginning.get(begin);
    if (begin < nowMillis) {
      put(begin, nowMillis);
    } else {
      byBeginning.remove(begin);
    }
    changed();
    // Last: if it fails, the start that finds both takes the one that has ended.
    remove(open);
  }

  /**
   * Joins the two oldest ones to one that ends with the second one. What arrived between them has
   * more time than before.
   */
  private void join() {
    long first = byBeginning.pollFirstEntry().getValue();
    long second = byBeginning.pollFirstEntry().getValue();
    long stopped = index.deadline(first) - index.enqueuedAt(first);
    put(index.enqueuedAt(second) - stopped, index.deadline(second));
    remove(first);
    remove(second);
  }

  /** Forgets all, as the queue has no message that arrived before the end of the last one. */
  void clear() {
    byBeginning.values().forEach(this::remove);
    byBeginning.clear();
    changed();
  }

  private void put(long begin, long end) {
    byBeginning.put(begin, entries.appendScheduled(ENTRY, null, false, end, begin));
  }

  private void remove(long entry) {
    entries.deadlines().leaving(entry);
    entries.remove(entry);
  }

  private void changed() {
    long[] from = new long[byBeginning.size()];
    long[] to = new long[from.length];
    int size = 0;
    for (long entry : byBeginning.values()) {
      // Clocks that were set back may have left intervals that overlap.
      long begin = index.enqueuedAt(entry);
      from[size] = size == 0 ? begin : Math.max(begin, to[size - 1]);
      to[size] = Math.max(from[size], index.deadline(entry));
      if (from[size] < TimeStops.OPEN) {
        size++;
      }
    }
    stops =
        size == 0
            ? TimeStops.NONE
            : new TimeStops(Arrays.copyOf(from, size), Arrays.copyOf(to, size));
  }

  // Moving

  MessageCopy copy() {
    return entries.copy();
  }

  CopiedMessages copied() {
    return entries.copied();
  }

  /** Releases the memory of a deleted queue. No other method may be called afterwards. */
  void dispose() {
    entries.deadlines().cleared();
    entries.dispose();
  }
}
