package io.mayflymq.core.settings;

/**
 * How much a queue may hold.
 *
 * @param maxLength how many messages at most, 0 or more, or {@link QueueSettings#NONE}
 * @param maxLengthBytes how many bytes of message bodies at most, 0 or more, or NONE
 * @param overflow what happens at these limits
 * @param countsUnacked whether unacknowledged messages count too, beside those that are ready
 */
public record LengthSettings(
    long maxLength, long maxLengthBytes, Overflow overflow, boolean countsUnacked) {

  /** Whether so many messages of so many bytes are more than it allows. */
  public boolean isExceededBy(long messages, long bytes) {
    return (maxLength != QueueSettings.NONE && messages > maxLength)
        || (maxLengthBytes != QueueSettings.NONE && bytes > maxLengthBytes);
  }

  /** Whether there is a limit. */
  public boolean isLimited() {
    return maxLength != QueueSettings.NONE || maxLengthBytes != QueueSettings.NONE;
  }
}
