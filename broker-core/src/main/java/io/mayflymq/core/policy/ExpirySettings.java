package io.mayflymq.core.policy;

/**
 * When messages expire, and the headers with times.
 *
 * @param messageTtlMillis how long a message may stay, 0 or more, or {@link QueueSettings#NONE}
 * @param retroactive whether a new TTL also applies to messages that are in the queue already
 * @param ttlMode whether the message's own TTL or the queue's counts
 * @param floorMillis shorter TTLs are raised to this value; 0 for none
 * @param mode when expired messages leave
 * @param deadlineHeader the header of messages that has their deadline; null if none counts
 * @param deadlineNotify who is told of a message that has died at that: {@link #TO_REPLY_QUEUE}, or
 *     an exchange; null for none
 * @param deadlineReplies whether replies to messages with a deadline get it, too
 * @param deliverAtHeader the header of messages that has the time from which they are handed out;
 *     null if none counts
 */
public record ExpirySettings(
    long messageTtlMillis,
    boolean retroactive,
    TtlMode ttlMode,
    long floorMillis,
    ExpiryMode mode,
    String deadlineHeader,
    String deadlineNotify,
    boolean deadlineReplies,
    String deliverAtHeader) {
  /** The word for the queue of {@code reply_to}. */
  public static final String TO_REPLY_QUEUE = "reply-to";

  private static final ExpirySettings NEVER =
      new ExpirySettings(
          QueueSettings.NONE,
          true,
          TtlMode.QUEUE_ONLY,
          0,
          ExpiryMode.EXACT,
          null,
          null,
          false,
          null);

  static ExpirySettings of(QueueValues values) {
    String deliverAt = values.text(PolicyKey.DELIVER_AT_HEADER);
    if (!values.defaults().messageTtl()) {
      return deliverAt == null ? NEVER : NEVER.withDeliverAt(deliverAt);
    }
    TtlMode ttlMode = values.word(PolicyKey.MESSAGE_TTL_MODE, TtlMode.class);
    return new ExpirySettings(
        values.number(PolicyKey.MESSAGE_TTL),
        values.is(PolicyKey.MESSAGE_TTL_RETROACTIVE, true),
        ttlMode,
        values.number(PolicyKey.MESSAGE_TTL_FLOOR),
        values.word(PolicyKey.EXPIRY_MODE, ExpiryMode.class),
        ttlMode == TtlMode.QUEUE_ONLY ? null : values.text(PolicyKey.DEADLINE_HEADER),
        values.text(PolicyKey.DEADLINE_NOTIFY),
        values.is(PolicyKey.DEADLINE_REPLIES, true),
        deliverAt);
  }

  private ExpirySettings withDeliverAt(String header) {
    return new ExpirySettings(
        messageTtlMillis,
        retroactive,
        ttlMode,
        floorMillis,
        mode,
        deadlineHeader,
        deadlineNotify,
        deadlineReplies,
        header);
  }
}
