package io.mayflymq.core.queue;

import java.util.List;

/**
 * The ready messages of a queue by their deadlines and by their ages.
 *
 * @param nowMillis when the messages were counted, since 1970
 * @param messages how many were counted
 * @param withoutDeadline how many of them do not expire
 * @param toDeadline how many expire in which time, without those that do not expire
 * @param ages how many are in the queue since which time
 * @param next those that expire first, the first one first
 * @param complete whether all ready messages were counted
 */
public record DeadlineReport(
    long nowMillis,
    long messages,
    long withoutDeadline,
    List<Bucket> toDeadline,
    List<Bucket> ages,
    List<Next> next,
    boolean complete) {

  /**
   * Messages between two limits.
   *
   * @param upToMillis the upper limit, inclusive; {@link Long#MAX_VALUE} for the last bucket
   * @param messages how many there are
   */
  public record Bucket(long upToMillis, long messages) {}

  /**
   * A message that expires soon.
   *
   * @param sequence its sequence number in the queue
   * @param position its place in the order of arrival: 0 is the oldest ready message
   * @param deadlineMillis since 1970
   * @param enqueuedAtMillis since 1970
   * @param own whether the deadline is the message's own, and not from the queue's TTL
   */
  public record Next(
      long sequence, long position, long deadlineMillis, long enqueuedAtMillis, boolean own) {}
}
