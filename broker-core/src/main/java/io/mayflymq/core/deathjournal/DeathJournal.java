package io.mayflymq.core.deathjournal;

import java.util.ArrayList;
import java.util.List;

/**
 * The latest deaths of messages on a shard. When it is full, each new entry replaces the oldest
 * one. Belongs to the shard's thread.
 */
public final class DeathJournal {
  /** How many deaths are kept by default. */
  public static final int DEFAULT_SIZE = 1000;

  private final int size;

  /** Null until the first death. */
  private DeathRecord[] ring;

  private long count;

  /**
   * Creates an empty journal.
   *
   * @param size how many deaths it keeps, 0 or more
   */
  public DeathJournal(int size) {
    this.size = size;
  }

  /** Whether it keeps any deaths: if not, {@link #add} need not be called. */
  public boolean isOn() {
    return size > 0;
  }

  /** Adds the death of a message. Only to be called if the journal is on. */
  public void add(DeathRecord death) {
    if (ring == null) {
      ring = new DeathRecord[size];
    }
    ring[(int) (count++ % size)] = death;
  }

  /**
   * How far back it reaches.
   *
   * @param size how many deaths it keeps
   * @param gone how many earlier ones it does not have any more
   * @param oldestMillis when the oldest one that it has happened, in ms since the epoch; -1 if it
   *     has none
   */
  public record Reach(int size, long gone, long oldestMillis) {}

  /** Returns how far back it reaches. */
  public Reach reach() {
    long gone = Math.max(0, count - size);
    long oldest = count == 0 ? -1 : ring[(int) (gone % size)].timeMillis();
    return new Reach(size, gone, oldest);
  }

  /** Returns the deaths, the latest one first. */
  public List<DeathRecord> records() {
    int kept = (int) Math.min(count, size);
    List<DeathRecord> records = new ArrayList<>(kept);
    for (long i = count - 1; i >= count - kept; i--) {
      records.add(ring[(int) (i % size)]);
    }
    return records;
  }
}
