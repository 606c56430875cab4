package io.mayflymq.server.channel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The unsettled deliveries of a channel, by delivery tag.
 *
 * <p>Tags ascend by one, so this is a ring buffer of two columns; a tag that needs no settlement,
 * or is settled, is an empty slot. The ring begins at the first unsettled tag. When many are
 * settled at once, they are reported in runs: same source, consecutive sequence numbers.
 */
final class UnackedDeliveries {
  private static final int SMALLEST = 16;

  /** Receives settled deliveries in runs. */
  @FunctionalInterface
  interface RunSink {
    void accept(DeliverySource source, long fromSequence, long toSequence);
  }

  /** How many bytes a slot takes. */
  private static final int SLOT_BYTES = 12;

  private final LongConsumer kept;
  private DeliverySource[] sources = new DeliverySource[SMALLEST];
  private long[] sequences = new long[SMALLEST];

  /** The tag of the first slot of the ring; the first tag of a channel is 1. */
  private long base = 1;

  /** One more than the last tag that was given out. */
  private long next = 1;

  private int count;

  /**
   * @param kept is told how many bytes more the ring takes, or fewer, than at first
   */
  UnackedDeliveries(LongConsumer kept) {
    this.kept = kept;
  }

  /** Returns the next delivery tag, for a message that needs no settlement. */
  long skip() {
    if (count == 0) {
      base = ++next;
      return next - 1;
    }
    ensureRoom();
    sources[slot(next)] = null;
    return next++;
  }

  /** Returns the next delivery tag, for a message that must be settled. */
  long add(DeliverySource source, long sequence) {
    ensureRoom();
    int slot = slot(next);
    sources[slot] = source;
    sequences[slot] = sequence;
    count++;
    return next++;
  }

  int count() {
    return count;
  }

  /** Returns how many deliveries count towards a prefetch limit of the channel. */
  int countOfConsumers() {
    int consumed = 0;
    for (long tag = base; tag < next; tag++) {
      DeliverySource source = sources[slot(tag)];
      if (source != null && !source.fetched()) {
        consumed++;
      }
    }
    return consumed;
  }

  boolean contains(long tag) {
    return tag >= base && tag < next && sources[slot(tag)] != null;
  }

  /** Removes a delivery, which must be unsettled. */
  void settle(long tag, RunSink sink) {
    int slot = slot(tag);
    DeliverySource source = sources[slot];
    long sequence = sequences[slot];
    sources[slot] = null;
    count--;
    trim();
    sink.accept(source, sequence, sequence);
  }

  /** Removes all deliveries up to a tag. */
  void settleThrough(long lastTag, RunSink sink) {
    DeliverySource runSource = null;
    long runFrom = 0;
    long runTo = 0;
    long end = Math.min(lastTag, next - 1);
    for (long tag = base; tag <= end; tag++) {
      int slot = slot(tag);
      DeliverySource source = sources[slot];
      if (source == null) {
        continue;
      }
      long sequence = sequences[slot];
      sources[slot] = null;
      count--;
      if (source == runSource && sequence == runTo + 1) {
        runTo = sequence;
      } else {
        if (runSource != null) {
          sink.accept(runSource, runFrom, runTo);
        }
        runSource = source;
        runFrom = sequence;
        runTo = sequence;
      }
    }
    base = Math.max(base, end + 1);
    trim();
    if (runSource != null) {
      sink.accept(runSource, runFrom, runTo);
    }
  }

  /**
   * Like {@link #settleThrough}, in the order of the sequence numbers rather than of the tags:
   * requeued messages may be delivered again at once, and must then be in their old order.
   */
  void settleThroughInQueueOrder(long lastTag, RunSink sink) {
    List<Run> runs = new ArrayList<>();
    settleThrough(lastTag, (source, from, to) -> runs.add(new Run(source, from, to)));
    runs.sort(Comparator.comparingLong(Run::from));
    runs.forEach(run -> sink.accept(run.source, run.from, run.to));
  }

  private record Run(DeliverySource source, long from, long to) {}

  /** Visits the unsettled tags up to one. */
  void forEachThrough(long lastTag, LongConsumer action) {
    for (long tag = base; tag <= lastTag && tag < next; tag++) {
      if (sources[slot(tag)] != null) {
        action.accept(tag);
      }
    }
  }

  /** Returns the tags of unsettled deliveries from a source. */
  List<Long> tagsOf(DeliverySource source) {
    List<Long> tags = new ArrayList<>();
    for (long tag = base; tag < next; tag++) {
      if (sources[slot(tag)] == source) {
        tags.add(tag);
      }
    }
    return tags;
  }

  /** Returns the first unsettled tag, if there is one. */
  long firstTag() {
    return base;
  }

  /** Returns the source of the unsettled delivery of a tag. */
  DeliverySource source(long tag) {
    return sources[slot(tag)];
  }

  /** Returns the last tag that was given out. */
  long lastTag() {
    return next - 1;
  }

  private void trim() {
    while (base < next && sources[slot(base)] == null) {
      base++;
    }
    if (count == 0 && sources.length > 4096) {
      kept.accept((SMALLEST - sources.length) * (long) SLOT_BYTES);
      sources = new DeliverySource[SMALLEST];
      sequences = new long[SMALLEST];
    }
  }

  private void ensureRoom() {
    if (next - base < sources.length) {
      return;
    }
    int capacity = sources.length * 2;
    DeliverySource[] moreSources = new DeliverySource[capacity];
    long[] moreSequences = new long[capacity];
    for (long tag = base; tag < next; tag++) {
      int to = (int) (tag & (capacity - 1));
      moreSources[to] = sources[slot(tag)];
      moreSequences[to] = sequences[slot(tag)];
    }
    kept.accept((capacity - sources.length) * (long) SLOT_BYTES);
    sources = moreSources;
    sequences = moreSequences;
  }

  private int slot(long tag) {
    return (int) (tag & (sources.length - 1));
  }

  @Override
  public String toString() {
    return "tags "
        + base
        + ".."
        + (next - 1)
        + ", "
        + count
        + " unsettled, "
        + Arrays.toString(sequences);
  }
}
