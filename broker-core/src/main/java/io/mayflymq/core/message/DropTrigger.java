package io.mayflymq.core.message;

/**
 * What caused the death of a message: more exact than the {@link DeathReason} that follows from it.
 */
public enum DropTrigger {
  /** The message's own {@code expiration}. */
  EXPIRATION("expiration", DeathReason.EXPIRED),
  /** The queue's TTL. */
  MESSAGE_TTL("message-ttl", DeathReason.EXPIRED),
  /** The queue's limit in messages. */
  MAX_LENGTH("max-length", DeathReason.MAXLEN),
  /** The queue's limit in bytes. */
  MAX_LENGTH_BYTES("max-length-bytes", DeathReason.MAXLEN),
  /** The queue's delivery limit. */
  DELIVERY_LIMIT("delivery-limit", DeathReason.DELIVERY_LIMIT),
  /** A consumer: {@code basic.reject} or {@code basic.nack}. */
  CONSUMER("consumer", DeathReason.REJECTED),
  /** The consumer timeout, or {@code lock-duration}. */
  CONSUMER_TIMEOUT("consumer-timeout", DeathReason.REJECTED),
  /** The end of the queue's lease. */
  EXPIRES("expires", DeathReason.QUEUE_EXPIRED),
  /** The deletion of the queue. */
  DELETION("deletion", DeathReason.QUEUE_DELETED),
  /** The deadline in a header of the message. */
  DEADLINE("deadline-header", DeathReason.EXPIRED);

  private final String setting;
  private final DeathReason reason;

  DropTrigger(String setting, DeathReason reason) {
    this.setting = setting;
    this.reason = reason;
  }

  /**
   * Returns the policy key that caused it, {@code expiration} for the property, or who caused it.
   */
  public String setting() {
    return setting;
  }

  /** Returns the reason for {@code x-death}. */
  public DeathReason reason() {
    return reason;
  }
}
