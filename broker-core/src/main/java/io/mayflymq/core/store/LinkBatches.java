package io.mayflymq.core.store;

import java.util.TreeMap;
import java.util.function.Consumer;

/** The batches of a link that a replicated partition has applied. Belongs to its thread. */
public final class LinkBatches {
  /** The outcome of a batch whose commands have all succeeded. */
  public static final byte[] SUCCESS = {};

  private static final int MOST_OUTCOMES = 256;
  private static final int MOST_BYTES = 64 << 10;

  private final BatchOrigin origin;
  private final Consumer<LinkBatches> onChange;

  /** What became of the commands of batches, if not all have succeeded. */
  private final TreeMap<Long, byte[]> outcomes = new TreeMap<>();

  private int bytes;
  private long last;
  private long unknownUpTo;
  private long noted;
  private boolean ended;

  /** The last batch that could not be read, and how often. Not in the log. */
  private long unreadable;

  private int timesUnreadable;

  LinkBatches(BatchOrigin origin, Consumer<LinkBatches> onChange) {
    this.origin = origin;
    this.onChange = onChange;
  }

  /** Returns where they come from. */
  public BatchOrigin origin() {
    return origin;
  }

  /** Returns whether another link of the node has begun: no batch of this one may be applied. */
  public boolean hasEnded() {
    return ended;
  }

  void end() {
    ended = true;
  }

  /** Returns whether a batch has been applied. */
  public boolean isApplied(long number) {
    return number <= last;
  }

  /**
   * Returns what became of the commands of a batch that has been applied.
   *
   * @return {@link #SUCCESS} if all have succeeded; null if that is not known any more
   */
  public byte[] outcome(long number) {
    return number <= unknownUpTo ? null : outcomes.getOrDefault(number, SUCCESS);
  }

  /**
   * A batch is applied as a whole in this burst. It has a higher number than those before.
   *
   * @param outcome what became of its commands; {@link #SUCCESS} if all have succeeded
   */
  public void applied(long number, byte[] outcome) {
    if (ended || number <= last) {
      throw new IllegalStateException(
          "batch %d of %s behind %d, ended: %s".formatted(number, origin, last, ended));
    }
    if (noted == last) {
      onChange.accept(this);
    }
    last = number;
    put(number, outcome);
  }

  /**
   * A batch could not be read, and was not applied.
   *
   * @return how often in turn that was so with this batch, since this node leads
   */
  public int unreadable(long number) {
    timesUnreadable = number == unreadable ? timesUnreadable + 1 : 1;
    unreadable = number;
    return timesUnreadable;
  }

  void recovered(long number, long isUnknownUpTo, byte[] outcome) {
    last = Math.max(last, number);
    noted = last;
    unknownUpTo = Math.max(unknownUpTo, isUnknownUpTo);
    put(number, outcome);
  }

  private void put(long number, byte[] outcome) {
    if (outcome.length == 0) {
      return;
    }
    byte[] before = outcomes.put(number, outcome);
    bytes += outcome.length - (before == null ? 0 : before.length);
    while (outcomes.size() > MOST_OUTCOMES || bytes > MOST_BYTES) {
      var oldest = outcomes.pollFirstEntry();
      bytes -= oldest.getValue().length;
      unknownUpTo = Math.max(unknownUpTo, oldest.getKey());
    }
  }

  /** Visits what has been applied since the last call. */
  void note(AppliedBatches.Sink sink) {
    forEachBehind(noted, sink);
    noted = last;
  }

  /** Visits all that is known. */
  void forEach(AppliedBatches.Sink sink) {
    if (last > 0) {
      forEachBehind(0, sink);
    }
  }

  private void forEachBehind(long number, AppliedBatches.Sink sink) {
    var told = outcomes.tailMap(number, false);
    told.forEach((batch, outcome) -> sink.accept(origin, batch, unknownUpTo, outcome));
    if (told.isEmpty() || told.lastKey() < last) {
      sink.accept(origin, last, unknownUpTo, SUCCESS);
    }
  }
}
