package io.mayflymq.core.message;

/**
 * Tells consumers who ask for it how long their messages still had to live: as the property {@code
 * expiration}, so that a message which a consumer publishes again lives no longer than it would
 * have.
 */
public final class TimeLeft {
  private TimeLeft() {}

  /**
   * Returns a message that expires when it would have expired here. The original is not changed.
   *
   * @param deadlineMillis when it expires here, in ms since the epoch
   */
  public static Message tell(Message message, long deadlineMillis, long nowMillis) {
    // A deadline is the end of the last millisecond that a message lives.
    long left = Math.max(0, deadlineMillis - nowMillis - 1);
    return message.publishedAs(
        message.exchange(),
        message.routingKey(),
        message.properties().toBuilder().expiration(Long.toString(left)).build());
  }
}
