package io.mayflymq.core.runtime;

/**
 * Requests one call after the present burst of a shard, however many parts of its store want it.
 * Belongs to the shard's thread.
 */
public final class BurstEnd {
  private final Shard shard;
  private final EndOfBurstListener listener;
  private boolean requested;

  /**
   * Creates it; nothing is requested.
   *
   * @param listener is called; has to call {@link #reached}
   */
  public BurstEnd(Shard shard, EndOfBurstListener listener) {
    this.shard = shard;
    this.listener = listener;
  }

  /** Requests the call, unless it has been requested already. */
  public void request() {
    if (!requested) {
      requested = true;
      shard.afterBurst(listener);
    }
  }

  /** Whether the call is still to come. */
  public boolean isRequested() {
    return requested;
  }

  /** Called at the end of the burst. */
  public void reached() {
    requested = false;
  }
}
