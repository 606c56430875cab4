package io.mayflymq.core.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * The last deaths on a shard. When it is full, each new one takes the place of the oldest. Belongs
 * to the shard's thread.
 */
public final class DeathJournal {
  /** How many deaths are kept unless somebody says otherwise. */
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

  /** Whether it keeps any: if not, there is no need to tell it. */
  public boolean isOn() {
    return size > 0;
  }

  /** A message has died. Only to be called where the journal is on. */
  public void add(DeathRecord death) {
    if (ring == null) {
      ring = new DeathRecord[size];
    }
    ring[(int) (count++ % size)] = death;
  }

  /** What it keeps, the last one first. */
  public List<DeathRecord> records() {
    int kept = (int) Math.min(count, size);
    List<DeathRecord> records = new ArrayList<>(kept);
    for (long i = count - 1; i >= count - kept; i--) {
      records.add(ring[(int) (i % size)]);
    }
    return records;
  }
}
