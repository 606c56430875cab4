package io.mayflymq.core.policy;

/**
 * The length limits of a queue.
 *
 * @param maxLength how many messages at most, 0 or more, or {@link QueueSettings#NONE}
 * @param maxLengthBytes how many bytes of message bodies at most, 0 or more, or NONE
 * @param overflow what happens at these limits
 * @param countsUnacked whether unacknowledged messages count, too, besides ready ones
 * @param dropsLowest whether the oldest message of the lowest priority is dropped, not the one that
 *     would be delivered next
 */
public record LengthSettings(
    long maxLength,
    long maxLengthBytes,
    Overflow overflow,
    boolean countsUnacked,
    boolean dropsLowest) {

  /** Whether this number of messages and bytes exceeds a limit. */
  public boolean isExceededBy(long messages, long bytes) {
    return (maxLength != QueueSettings.NONE && messages > maxLength)
        || (maxLengthBytes != QueueSettings.NONE && bytes > maxLengthBytes);
  }

  /** Whether there is a limit. */
  public boolean isLimited() {
    return maxLength != QueueSettings.NONE || maxLengthBytes != QueueSettings.NONE;
  }
}
