package io.mayflymq.server.management.api;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of messages in all answers together, from when they are fetched until the
 * clients have received them. Any thread may call.
 */
public final class MessageMemory {
  private final long most;
  private final long mostOfOne;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param most bytes, all answers together; by as much as a message at a time it may be more
   * @param mostOfOne bytes of one answer, likewise
   */
  public MessageMemory(long most, long mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** What messages of one answer take. One thread at a time may call, but for {@link #release}. */
  public final class Share {
    private final AtomicLong bytes = new AtomicLong();
    private boolean released;

    /** Whether there is room for more. */
    public boolean hasRoom() {
      return bytes.get() < mostOfOne && taken.get() < most;
    }

    /** As much as one answer may take. */
    public long most() {
      return mostOfOne;
    }

    /** The bytes that are taken. */
    public long bytes() {
      return bytes.get();
    }

    /** Sets the bytes that are taken. */
    public synchronized void set(long now) {
      if (!released) {
        taken.addAndGet(now - bytes.getAndSet(now));
      }
    }

    /** Gives all of it back. May be called again. */
    public synchronized void release() {
      set(0);
      released = true;
    }
  }

  /**
   * Room for the messages of an answer.
   *
   * @throws ApiException 503 if there is none at the moment
   */
  public Share share() {
    Share share = new Share();
    if (!share.hasRoom()) {
      throw new ApiException(
          503, "overloaded", "Messages for other answers take all memory: try again later");
    }
    return share;
  }
}
