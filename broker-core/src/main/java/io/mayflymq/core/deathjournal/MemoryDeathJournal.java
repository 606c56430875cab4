package io.mayflymq.core.deathjournal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A journal in memory, which ends with the process. */
public final class MemoryDeathJournal implements DeathJournal {
  private final int size;

  /** Grows up to the size. */
  private final List<DeathRecord> ring = new ArrayList<>();

  private long next;

  /**
   * Creates an empty journal.
   *
   * @param size how many deaths it keeps, 0 or more
   */
  public MemoryDeathJournal(int size) {
    this.size = size;
  }

  @Override
  public boolean isOn() {
    return size > 0;
  }

  @Override
  public synchronized void add(List<DeathRecord> deaths) {
    for (DeathRecord death : deaths) {
      int place = (int) (next++ % size);
      if (place == ring.size()) {
        ring.add(death);
      } else {
        ring.set(place, death);
      }
    }
  }

  @Override
  public synchronized List<Entry> latest(Predicate<DeathRecord> wanted, long most) {
    List<Entry> found = new ArrayList<>();
    for (long i = next - 1; i >= next - ring.size() && found.size() < most; i--) {
      DeathRecord death = ring.get((int) (i % size));
      if (wanted.test(death)) {
        found.add(new Entry(i, death));
      }
    }
    return found;
  }

  @Override
  public synchronized Reach reach() {
    long gone = next - ring.size();
    long oldest = next == 0 ? -1 : ring.get((int) (gone % size)).timeMillis();
    return new Reach(size, 0, ring.size(), gone, oldest);
  }

  @Override
  public void close() {
    // It has no files.
  }
}
