package io.mayflymq.core.deathjournal;

import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the deaths of a burst and hands them over to the journal at its end, so that the journal
 * costs a lock for each burst and not for each message. Belongs to the shard's thread.
 */
public final class DeathBatch implements EndOfBurstListener {
  private static final int MOST = 1024;

  private final DeathJournal journal;
  private List<DeathRecord> deaths = new ArrayList<>();
  private boolean listens;

  /** Creates an empty batch. */
  public DeathBatch(DeathJournal journal) {
    this.journal = journal;
  }

  /** Whether deaths are kept: if not, {@link #add} need not be called. */
  public boolean isOn() {
    return journal.isOn();
  }

  /**
   * Adds the death of a message. Only to be called if the journal is on.
   *
   * @param shard the one that runs this
   */
  public void add(DeathRecord death, Shard shard) {
    if (!listens) {
      listens = true;
      shard.afterBurst(this);
    }
    deaths.add(death);
    if (deaths.size() == MOST) {
      handOver();
    }
  }

  /** Hands over what there is, before the burst has ended. */
  public void handOver() {
    if (!deaths.isEmpty()) {
      List<DeathRecord> handed = deaths;
      deaths = new ArrayList<>();
      journal.add(handed);
    }
  }

  @Override
  public void endOfBurst() {
    listens = false;
    handOver();
  }
}
