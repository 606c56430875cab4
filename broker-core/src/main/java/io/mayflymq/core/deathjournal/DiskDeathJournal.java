package io.mayflymq.core.deathjournal;

import io.mayflymq.core.runtime.BrokerThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A journal in files.
 *
 * <p>A thread of its own writes, so that no disk delays a shard: what shards hand over waits in
 * memory for a fraction of a second, or until there is enough. The files are not forced. A crash of
 * the process loses what waits, and one of the machine what the operating system had not written;
 * neither hurts a message.
 *
 * <p>If the disk is too slow or fails, what waits is dropped. Then the numbers of deaths have a
 * gap, and the journal reaches back to the gap only.
 */
public final class DiskDeathJournal implements DeathJournal {
  private static final Logger LOGGER = LoggerFactory.getLogger(DiskDeathJournal.class);
  private static final int MOST_WAITING = 1 << 16;
  private static final int WRITTEN_AT_ONCE = 4096;
  private static final long LONGEST_WAIT_MILLIS = 200;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final int size;
  private final long bytes;
  private final DeathFiles files;
  private final Thread writer;
  private final Object lock = new Object();

  /** What is not in the files yet; its last one has the number before {@link #next}. */
  private List<DeathRecord> waiting = new ArrayList<>();

  /** What is being written, before what waits. */
  private List<DeathRecord> underWay = List.of();

  private long firstUnderWay;
  private long next;
  private boolean closed;
  private boolean failing;

  /**
   * Opens the journal of a directory, or creates it. What is damaged is left out, with a warning.
   *
   * @param directory has only its files
   * @param size how many deaths it keeps at most, 1 or more
   * @param bytes how many bytes the files have at most
   * @param threads makes the one that writes
   * @throws IOException if the directory cannot be read or made
   */
  public static DiskDeathJournal open(Path directory, int size, long bytes, BrokerThreads threads)
      throws IOException {
    DiskDeathJournal journal =
        new DiskDeathJournal(DeathFiles.open(directory, bytes), size, bytes, threads);
    journal.writer.start();
    return journal;
  }

  private DiskDeathJournal(DeathFiles files, int size, long bytes, BrokerThreads threads) {
    this.files = files;
    this.size = size;
    this.bytes = bytes;
    this.next = files.end();
    this.writer = threads.auxiliary("death journal", this::writeUntilClosed);
  }

  @Override
  public boolean isOn() {
    return true;
  }

  @Override
  public void add(List<DeathRecord> deaths) {
    synchronized (lock) {
      if (closed) {
        return;
      }
      if (waiting.size() >= MOST_WAITING) {
        waiting = new ArrayList<>();
      }
      int before = waiting.size();
      waiting.addAll(deaths);
      next += deaths.size();
      if (before == 0 || (before < WRITTEN_AT_ONCE && waiting.size() >= WRITTEN_AT_ONCE)) {
        lock.notifyAll();
      }
    }
  }

  private void writeUntilClosed() {
    List<DeathRecord> taken = take();
    while (!taken.isEmpty()) {
      write(taken);
      taken = take();
    }
    files.close();
  }

  /** Waits until something is to be written; returns nothing when the journal is closed. */
  private List<DeathRecord> take() {
    synchronized (lock) {
      underWay = List.of();
      lock.notifyAll();
      awaitEnough();
      underWay = waiting;
      firstUnderWay = next - waiting.size();
      waiting = new ArrayList<>();
      return underWay;
    }
  }

  private void awaitEnough() {
    try {
      while (waiting.isEmpty() && !closed) {
        lock.wait();
      }
      long until = System.nanoTime() + LONGEST_WAIT_MILLIS * NANOS_PER_MILLI;
      long left = LONGEST_WAIT_MILLIS;
      while (left > 0 && waiting.size() < WRITTEN_AT_ONCE && !closed) {
        lock.wait(left);
        left = (until - System.nanoTime()) / NANOS_PER_MILLI;
      }
    } catch (InterruptedException e) {
      // This thread is not interrupted; it ends when the journal is closed.
      LOGGER.debug("death journal interrupted", e);
    }
  }

  private void write(List<DeathRecord> deaths) {
    try {
      files.write(firstUnderWay, deaths, firstUnderWay + deaths.size() - size);
      if (failing) {
        LOGGER.info("the death journal can be written again");
        failing = false;
      }
    } catch (IOException e) {
      if (!failing) {
        LOGGER.warn("the death journal cannot be written, and lacks deaths: {}", e.toString());
        failing = true;
      }
    }
  }

  /** What there is at a moment. */
  private record View(
      List<DeathFiles.Part> parts, long firstInMemory, List<DeathRecord> inMemory, long next) {}

  private View view() {
    synchronized (lock) {
      List<DeathRecord> inMemory = new ArrayList<>(underWay);
      // What is just written is taken from memory, or from a file that begins later.
      List<DeathFiles.Part> parts = files.parts(underWay.isEmpty() ? next : firstUnderWay);
      long first = next - waiting.size();
      if (!underWay.isEmpty() && firstUnderWay + underWay.size() == first) {
        first = firstUnderWay;
      } else {
        inMemory.clear();
      }
      inMemory.addAll(waiting);
      return new View(parts, first, inMemory, next);
    }
  }

  @Override
  public List<Entry> latest(Predicate<DeathRecord> wanted, long most) {
    View view = view();
    long least = view.next - size;
    List<Entry> found = new ArrayList<>();
    for (int i = view.inMemory.size() - 1; i >= 0 && found.size() < most; i--) {
      long number = view.firstInMemory + i;
      if (number >= least && wanted.test(view.inMemory.get(i))) {
        found.add(new Entry(number, view.inMemory.get(i)));
      }
    }
    for (int i = view.parts.size() - 1; i >= 0 && found.size() < most; i--) {
      DeathFiles.read(
          view.parts.get(i),
          (number, death) -> {
            if (number >= least && wanted.test(death)) {
              found.add(new Entry(number, death));
            }
            return number > least && found.size() < most;
          });
    }
    return found;
  }

  @Override
  public Reach reach() {
    View view = view();
    long first = view.firstInMemory;
    for (int i = view.parts.size() - 1; i >= 0 && view.parts.get(i).end() == first; i--) {
      first = view.parts.get(i).first();
    }
    first = Math.max(first, view.next - size);
    return new Reach(size, bytes, view.next - first, first, timeOf(first, view));
  }

  private static long timeOf(long number, View view) {
    if (number >= view.firstInMemory) {
      int place = (int) (number - view.firstInMemory);
      return place < view.inMemory.size() ? view.inMemory.get(place).timeMillis() : -1;
    }
    long[] time = {-1};
    for (DeathFiles.Part part : view.parts) {
      if (part.first() <= number && number < part.end()) {
        DeathFiles.read(
            part,
            (at, death) -> {
              time[0] = at >= number ? death.timeMillis() : time[0];
              return at > number;
            });
      }
    }
    return time[0];
  }

  /** Waits until all that was added is in the files, or could not be written. */
  void awaitWritten() throws InterruptedException {
    synchronized (lock) {
      while (!waiting.isEmpty() || !underWay.isEmpty()) {
        lock.wait();
      }
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
    boolean interrupted = false;
    while (writer.isAlive()) {
      try {
        writer.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
