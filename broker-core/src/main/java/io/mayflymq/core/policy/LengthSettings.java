package io.mayflymq.core.policy;

/**
 * The length limits of a queue.
 *
 * @param maxLength how many messages at most, 0 or more, or {@link QueueSettings#NONE}
 * @param maxLengthBytes how many bytes of message bodies at most, 0 or more, or NONE
 * @param overflow what happens at these limits
 * @param blockMillis how long publishers wait at these limits, in ms, if that is what happens
 * @param countsUnacked whether unacknowledged messages count, too, besides ready ones
 * @param dropsLowest whether the oldest message of the lowest priority is dropped, not the one that
 *     would be delivered next
 */
public record LengthSettings(
    long maxLength,
    long maxLengthBytes,
    Overflow overflow,
    long blockMillis,
    boolean countsUnacked,
    boolean dropsLowest) {

  static LengthSettings of(QueueValues values) {
    return new LengthSettings(
        values.number(PolicyKey.MAX_LENGTH),
        values.number(PolicyKey.MAX_LENGTH_BYTES),
        values.word(PolicyKey.OVERFLOW, Overflow.class),
        values.number(PolicyKey.BLOCK_TIMEOUT),
        values.is(PolicyKey.MAX_LENGTH_SCOPE, "total"),
        values.is(PolicyKey.MAX_LENGTH_DROP, "lowest-priority"));
  }

  /** Whether this number of messages and bytes exceeds a limit. */
  public boolean isExceededBy(long messages, long bytes) {
    return (maxLength != QueueSettings.NONE && messages > maxLength)
        || (maxLengthBytes != QueueSettings.NONE && bytes > maxLengthBytes);
  }

  /** Whether publishers wait at a limit. */
  public boolean blocks() {
    return overflow == Overflow.BLOCK && isLimited();
  }

  /** Whether a message with a body of this size in bytes never fits, whatever leaves the queue. */
  public boolean neverFits(long bytes) {
    return isExceededBy(1, bytes);
  }

  /** Whether there is a limit. */
  public boolean isLimited() {
    return maxLength != QueueSettings.NONE || maxLengthBytes != QueueSettings.NONE;
  }
}
