package io.mayflymq.core.queue.index;

import java.util.List;

/**
 * Which shares of a queue have ready messages.
 *
 * @param shares how many
 * @param largest those with the most of them, the largest first, at most {@link #MOST_LARGEST}
 * @param unread how many messages are ready of which it is not known yet whose they are
 */
public record FairShareCounts(long shares, List<Share> largest, long unread) {
  /** How many of the largest ones are told. */
  public static final int MOST_LARGEST = 10;

  /**
   * One of them.
   *
   * @param value the value of the header; null for the messages without it
   * @param ready how many of its messages are ready
   */
  public record Share(String value, long ready) {}
}
