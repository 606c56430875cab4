package io.mayflymq.cluster.link;

/** How many bytes a consumer on another node may be sent ahead of what its channel has taken. */
public final class ConsumerWindow {
  /** That of most consumers. */
  public static final long FULL = 1 << 20;

  /** For one whose channel shares its limit among consumers: one message. */
  public static final long ONE_MESSAGE = 1;

  /** What is reckoned for a message whose size is not known yet. */
  private static final long BYTES_PER_MESSAGE = 2 << 10;

  private ConsumerWindow() {}

  /**
   * Returns the window of a consumer of which so many messages should be sent ahead, 1 or more, as
   * a rate of its client bounds what it gets: about so many, and always one.
   */
  public static long paced(int messages) {
    return Math.min(FULL - 1, ONE_MESSAGE + 1 + (messages - 1) * BYTES_PER_MESSAGE);
  }

  /** Returns whether it is as narrow for the sake of a rate, and not as the connection is slow. */
  public static boolean isPaced(long window) {
    return window > ONE_MESSAGE && window < FULL;
  }
}
