package io.mayflymq.core.settings;

import java.util.Optional;

/**
 * What a queue does at its length limit.
 *
 * <p>Source: RabbitMQ, "Queue Length Limit", section "Overflow Behaviour".
 */
public enum Overflow {
  /** Messages are dropped or dead-lettered from the head, the oldest first. The default. */
  DROP_HEAD("drop-head"),
  /**
   * New messages are refused: with {@code basic.nack} if the publisher uses confirms, silently
   * otherwise.
   */
  REJECT_PUBLISH("reject-publish"),
  /** As {@link #REJECT_PUBLISH}, and the refused message is dead-lettered. */
  REJECT_PUBLISH_DLX("reject-publish-dlx");

  private final String wireName;

  Overflow(String wireName) {
    this.wireName = wireName;
  }

  /** The name in arguments and policies. */
  public String wireName() {
    return wireName;
  }

  /**
   * Returns the behaviour in a queue of this type: quorum queues do not dead-letter refused
   * messages.
   */
  public Overflow in(QueueType type) {
    return type == QueueType.QUORUM && this == REJECT_PUBLISH_DLX ? DROP_HEAD : this;
  }

  /** The behaviour of this name. */
  public static Optional<Overflow> ofWireName(String name) {
    for (Overflow overflow : values()) {
      if (overflow.wireName.equals(name)) {
        return Optional.of(overflow);
      }
    }
    return Optional.empty();
  }
}
