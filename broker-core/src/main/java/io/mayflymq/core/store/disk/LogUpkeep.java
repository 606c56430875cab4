package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.Shard;

/**
 * What has to be done for a log besides writing it: it frees disk space, and looks after the log
 * when nothing happens. Belongs to the shard's thread.
 */
public final class LogUpkeep {
  private static final int COMPACTION_SLICE = 64 << 10;
  private static final long TICK_MILLIS = 200;
  private static final int TICKS_OF_REST = 150;
  private static final int TICKS_OF_NOTES = 5;

  private final Shard shard;
  private final BurstEnd burst;
  private final Work work;
  private boolean compacting;
  private int ticks;
  private boolean ended;

  /** The work. */
  public interface Work {
    /**
     * Frees disk space.
     *
     * @param budget about how many bytes to copy at most
     * @return whether there is more to do at once
     */
    boolean compact(int budget);

    /** Called five times a second, in a burst. */
    void maintain();

    /** Called about once a second, to have noted what has been forced. */
    void note();

    /** Called about twice a minute, to give back what is not needed at rest. */
    void trimMemory();
  }

  /**
   * Creates it; nothing is done before {@link #start}.
   *
   * @param burst is requested after a part of the work that may have written something
   */
  public LogUpkeep(Shard shard, BurstEnd burst, Work work) {
    this.shard = shard;
    this.burst = burst;
    this.work = work;
  }

  /** Begins to look after the log. */
  public void start() {
    shard.loop().schedule(this::tick, TICK_MILLIS);
  }

  /** Ends the work for good. */
  public void end() {
    ended = true;
  }

  /**
   * Frees disk space if there is need, a slice at a time, with clients having their turn in
   * between. To be called at the end of bursts.
   */
  public void compact() {
    if (!compacting) {
      compactSlice();
    }
  }

  private void compactSlice() {
    if (ended) {
      return;
    }
    boolean more = false;
    try {
      more = work.compact(COMPACTION_SLICE);
    } catch (Throwable e) {
      shard.faults().report("freeing the disk of", shard, e);
    }
    compacting = more;
    if (more) {
      shard.executeLater(
          () -> {
            compactSlice();
            burst.request();
          });
    }
  }

  private void tick() {
    if (ended) {
      return;
    }
    try {
      shard.run(this::maintain);
    } catch (Throwable e) {
      shard.faults().report("looking after the messages of", shard, e);
    } finally {
      shard.loop().schedule(this::tick, TICK_MILLIS);
    }
  }

  private void maintain() {
    if (ended) {
      return; // By a task that came before this one in the burst.
    }
    work.maintain();
    compact();
    if (++ticks % TICKS_OF_REST == 0) {
      work.trimMemory();
    }
    if (ticks % TICKS_OF_NOTES == 0) {
      work.note();
    }
  }
}
