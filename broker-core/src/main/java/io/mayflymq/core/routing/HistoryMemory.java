package io.mayflymq.core.routing;

import io.mayflymq.core.message.Message;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of histories. Any thread may call.
 *
 * <p>The memory of the messages that exchanges of the type x-recent-history keep, all together. It
 * is limited, as neither consumers nor the disk can free it. When the limit is exceeded, the
 * histories that take the most lose the older half of their messages, until an eighth of the limit
 * is free.
 *
 * <p>A history belongs to an exchange, which may be in several routing tables at a time; so its
 * share is given back when the last of these has been collected.
 */
final class HistoryMemory {
  /** The part of the limit that is freed at a time. */
  private static final int PART_FREED = 8;

  /** About how many bytes a message takes beside its content. */
  private static final int MESSAGE_BYTES = 200;

  /** That of this process. */
  static final HistoryMemory OF_PROCESS =
      new HistoryMemory(Runtime.getRuntime().maxMemory() / RecentHistory.PART_OF_HEAP);

  private final long limit;
  private final AtomicLong total = new AtomicLong();
  private final Collection<Share> shares = ConcurrentHashMap.newKeySet();
  private final ReferenceQueue<RecentHistory> collected = new ReferenceQueue<>();

  /**
   * @param limit how many bytes there may be
   */
  HistoryMemory(long limit) {
    this.limit = limit;
  }

  /** Returns how many bytes are taken. */
  long total() {
    giveBackCollected();
    return total.get();
  }

  /** Returns about how many bytes a message takes. */
  static long of(Message message) {
    return (long) message.content().length + MESSAGE_BYTES;
  }

  /** Opens the share of a history. */
  Share open(RecentHistory history) {
    giveBackCollected();
    Share share = new Share(history);
    shares.add(share);
    return share;
  }

  private void giveBackCollected() {
    Reference<?> next = collected.poll();
    while (next != null) {
      Share share = (Share) next;
      shares.remove(share);
      total.addAndGet(-share.bytes.get());
      next = collected.poll();
    }
  }

  /** Makes room if there is none; without the lock of a history. */
  void makeRoom() {
    if (total.get() <= limit) {
      return;
    }
    synchronized (this) {
      long most = limit - limit / PART_FREED;
      List<RecentHistory> histories = largestFirst();
      while (total() > limit && !histories.isEmpty()) {
        for (RecentHistory largest : histories) {
          largest.forgetHalf();
          if (total.get() <= most) {
            return;
          }
        }
        histories = largestFirst();
      }
    }
  }

  private List<RecentHistory> largestFirst() {
    return shares.stream()
        .map(share -> Map.entry(share, share.bytes.get()))
        .filter(entry -> entry.getValue() > 0)
        .sorted(Comparator.comparingLong(entry -> -entry.getValue()))
        .map(entry -> entry.getKey().get())
        .filter(history -> history != null)
        .toList();
  }

  /** What one history takes. */
  final class Share extends WeakReference<RecentHistory> {
    private final AtomicLong bytes = new AtomicLong();

    private Share(RecentHistory history) {
      super(history, collected);
    }

    /** Adds so many bytes, or subtracts them. */
    void add(long more) {
      bytes.addAndGet(more);
      total.addAndGet(more);
    }
  }
}
