package io.mayflymq.core.message;

/** What decided that a message dies: more exact than its {@link DeathReason}, which follows. */
public enum DropTrigger {
  /** The message's own {@code expiration}. */
  EXPIRATION("expiration", DeathReason.EXPIRED),
  /** The queue's TTL. */
  MESSAGE_TTL("message-ttl", DeathReason.EXPIRED),
  /** The queue's limit in messages. */
  MAX_LENGTH("max-length", DeathReason.MAXLEN),
  /** The queue's limit in bytes. */
  MAX_LENGTH_BYTES("max-length-bytes", DeathReason.MAXLEN),
  /** How often a message may come back. */
  DELIVERY_LIMIT("delivery-limit", DeathReason.DELIVERY_LIMIT),
  /** A consumer: {@code basic.reject} or {@code basic.nack}. */
  CONSUMER("consumer", DeathReason.REJECTED),
  /** How long a consumer may have a message: {@code lock-duration}, too. */
  CONSUMER_TIMEOUT("consumer-timeout", DeathReason.REJECTED),
  /** The end of the queue's lease. */
  EXPIRES("expires", DeathReason.QUEUE_EXPIRED),
  /** Whoever deleted the queue. */
  DELETION("deletion", DeathReason.QUEUE_DELETED);

  private final String setting;
  private final DeathReason reason;

  DropTrigger(String setting, DeathReason reason) {
    this.setting = setting;
    this.reason = reason;
  }

  /** The policy key that decided, {@code expiration} for the property, or who it was. */
  public String setting() {
    return setting;
  }

  /** What {@code x-death} says of it. */
  public DeathReason reason() {
    return reason;
  }
}
