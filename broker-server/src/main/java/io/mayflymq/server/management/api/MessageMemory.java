package io.mayflymq.server.management.api;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of the messages in all responses together, from when they are fetched until the
 * clients have received them. Thread-safe.
 */
public final class MessageMemory {
  private final long most;
  private final long mostOfOne;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param most bytes of all responses together; may be exceeded by one message at a time
   * @param mostOfOne bytes of one response; may be exceeded by one message
   */
  public MessageMemory(long most, long mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /**
   * The memory of the messages of one response. Used by one thread at a time, except for {@link
   * #release}.
   */
  public final class Share {
    private final AtomicLong bytes = new AtomicLong();
    private boolean released;

    /** Returns whether there is room for more. */
    public boolean hasRoom() {
      return bytes.get() < mostOfOne && taken.get() < most;
    }

    /** Returns the limit of one response in bytes. */
    public long most() {
      return mostOfOne;
    }

    /** Returns the number of bytes in use. */
    public long bytes() {
      return bytes.get();
    }

    /** Sets the number of bytes in use. */
    public synchronized void set(long now) {
      if (!released) {
        taken.addAndGet(now - bytes.getAndSet(now));
      }
    }

    /** Releases all bytes. May be called again. */
    public synchronized void release() {
      set(0);
      released = true;
    }
  }

  /**
   * Opens a share for the messages of a response.
   *
   * @throws ApiException 503 if the limit of all responses is reached
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
