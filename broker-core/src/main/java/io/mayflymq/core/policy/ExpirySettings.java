package io.mayflymq.core.policy;

/**
 * When messages expire.
 *
 * @param messageTtlMillis how long a message may stay, 0 or more, or {@link QueueSettings#NONE}
 * @param retroactive whether a new TTL also applies to messages that are in the queue already
 * @param ttlMode whether the message's own TTL or the queue's counts
 * @param floorMillis shorter TTLs are raised to this value; 0 for none
 * @param mode when expired messages leave
 */
public record ExpirySettings(
    long messageTtlMillis,
    boolean retroactive,
    TtlMode ttlMode,
    long floorMillis,
    ExpiryMode mode) {

  private static final ExpirySettings NEVER =
      new ExpirySettings(QueueSettings.NONE, true, TtlMode.QUEUE_ONLY, 0, ExpiryMode.EXACT);

  static ExpirySettings of(QueueValues values) {
    if (!values.defaults().messageTtl()) {
      return NEVER;
    }
    return new ExpirySettings(
        values.number(PolicyKey.MESSAGE_TTL),
        values.is(PolicyKey.MESSAGE_TTL_RETROACTIVE, true),
        values.word(PolicyKey.MESSAGE_TTL_MODE, TtlMode.class),
        values.number(PolicyKey.MESSAGE_TTL_FLOOR),
        values.word(PolicyKey.EXPIRY_MODE, ExpiryMode.class));
  }
}
