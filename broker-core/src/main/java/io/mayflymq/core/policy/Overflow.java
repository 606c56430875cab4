package io.mayflymq.core.policy;

import java.util.Optional;

/**
 * What a queue does at its length limit.
 *
 * <p>Source, but for {@link #BLOCK}: RabbitMQ, "Queue Length Limit", section "Overflow Behaviour".
 */
public enum Overflow {
  /** Messages are dropped or dead-lettered from the head, the oldest first. The default. */
  DROP_HEAD("drop-head"),
  /**
   * New messages are refused: with {@code basic.nack} if the publisher uses confirms, silently
   * otherwise.
   */
  REJECT_PUBLISH("reject-publish"),
  /**
   * As {@link #REJECT_PUBLISH}, and the refused message is dead-lettered. In quorum queues too,
   * where RabbitMQ takes it for {@link #DROP_HEAD}.
   */
  REJECT_PUBLISH_DLX("reject-publish-dlx"),
  /**
   * Publishers wait until there is room, for a time that is bounded; then the message is refused as
   * by {@link #REJECT_PUBLISH}. What the broker moves itself enters over the limit. MayflyMQ's own.
   */
  BLOCK("block");

  private final String wireName;

  Overflow(String wireName) {
    this.wireName = wireName;
  }

  /** The name in arguments and policies. */
  public String wireName() {
    return wireName;
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
