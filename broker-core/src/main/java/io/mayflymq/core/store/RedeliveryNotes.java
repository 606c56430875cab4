package io.mayflymq.core.store;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.DeliveryCount;
import java.util.Arrays;

/**
 * Notes of how often messages of a queue have been returned by consumers, and of their present
 * state: packed for the log, in about five bytes a message. Belongs to one thread.
 */
public final class RedeliveryNotes {
  /** The message does not wait: it is ready. */
  public static final long READY = 0;

  /** A consumer has the message again. */
  public static final long TAKEN = -1;

  private static final int KIND_BITS = 2;
  private static final int KIND_MASK = (1 << KIND_BITS) - 1;
  private static final int KIND_READY = 0;
  private static final int KIND_WAITING = 1;
  private static final int KIND_TAKEN = 2;

  /**
   * Says how many of the deliveries have failed that the next note counts; left out if all have. To
   * versions before there was such a note it is one about the same message that is older than the
   * next one, so they ignore it.
   */
  private static final int KIND_FAILED = 3;

  private static final int ALL = -1;

  private static final int CAPACITY = 64;
  private static final int MOST_CAPACITY_KEPT = 1 << 16;

  private ByteWriter out = new ByteWriter(CAPACITY);
  private long lastSequence;
  private long lastUntil;

  /** Receives notes. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Receives one note. Of several notes about a message, the one with more returns is newer, and
     * among those with equally many the last one.
     *
     * @param sequence the message's number in its queue
     * @param returns how often it has been returned, as {@link DeliveryCount} packs it; not 0
     * @param untilMillis when its wait ends, in ms since the epoch; {@link #READY} or {@link
     *     #TAKEN} if it does not wait
     */
    void accept(long sequence, long returns, long untilMillis);
  }

  /** Adds a note; see {@link Sink#accept}. */
  public void add(long sequence, long returns, long untilMillis) {
    int acquired = DeliveryCount.acquired(returns);
    int failed = DeliveryCount.failed(returns);
    if (failed != acquired) {
      begin(sequence, failed, KIND_FAILED);
      out.signed(0);
    }
    int kind = kind(untilMillis);
    begin(sequence, acquired, kind);
    if (kind == KIND_WAITING) {
      out.signed(untilMillis - lastUntil);
      lastUntil = untilMillis;
    }
  }

  private void begin(long sequence, int count, int kind) {
    out.signed(sequence - lastSequence);
    lastSequence = sequence;
    out.number((long) count << KIND_BITS | kind);
  }

  /** Whether a value is the end of a wait, neither {@link #READY} nor {@link #TAKEN}. */
  public static boolean isWait(long untilMillis) {
    return kind(untilMillis) == KIND_WAITING;
  }

  private static int kind(long untilMillis) {
    if (untilMillis == READY) {
      return KIND_READY;
    }
    return untilMillis == TAKEN ? KIND_TAKEN : KIND_WAITING;
  }

  /** Returns how many bytes the notes take. */
  public int size() {
    return out.size();
  }

  /** Returns all notes, packed, and removes them from here. */
  public byte[] take() {
    byte[] notes = Arrays.copyOf(out.bytes(), out.size());
    if (out.bytes().length > MOST_CAPACITY_KEPT) {
      out = new ByteWriter(CAPACITY);
    } else {
      out.clear();
    }
    lastSequence = 0;
    lastUntil = 0;
    return notes;
  }

  /** Unpacks notes, in the order in which they were added. */
  public static void forEach(byte[] notes, Sink sink) {
    ByteReader in = new ByteReader(notes, notes.length);
    long sequence = 0;
    long until = 0;
    int failed = ALL;
    while (in.remaining() > 0) {
      sequence += in.signed();
      long value = in.number();
      int count = (int) (value >>> KIND_BITS);
      if ((value & KIND_MASK) == KIND_FAILED) {
        failed = count;
        in.signed();
        continue;
      }
      long returns = DeliveryCount.of(count, failed == ALL ? count : failed);
      failed = ALL;
      switch ((int) value & KIND_MASK) {
        case KIND_READY -> sink.accept(sequence, returns, READY);
        case KIND_TAKEN -> sink.accept(sequence, returns, TAKEN);
        default -> {
          until += in.signed();
          sink.accept(sequence, returns, until);
        }
      }
    }
  }
}
