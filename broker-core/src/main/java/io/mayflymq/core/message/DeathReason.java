package io.mayflymq.core.message;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Why a message was dead-lettered: the {@code reason} of an {@code x-death} entry.
 *
 * <p>Source: RabbitMQ, "Dead Letter Exchanges", section "Effects on Messages".
 */
public enum DeathReason {
  /** {@code basic.reject} or {@code basic.nack} with {@code requeue=false}. */
  REJECTED("rejected"),
  /** The message's deadline passed. */
  EXPIRED("expired"),
  /** The queue's length limit in messages or bytes was exceeded. */
  MAXLEN("maxlen"),
  /** The message was returned more often than the queue's delivery limit allows. */
  DELIVERY_LIMIT("delivery_limit"),
  /** Its queue was unused for too long, and is deleted. */
  QUEUE_EXPIRED("queue_expired"),
  /** Its queue is deleted. */
  QUEUE_DELETED("queue_deleted");

  private final String wireName;

  DeathReason(String wireName) {
    this.wireName = wireName;
  }

  /** The name that clients see in {@code x-death}. */
  public String wireName() {
    return wireName;
  }

  /** Returns all names, separated by commas, for error texts. */
  public static String wireNames() {
    return Arrays.stream(values()).map(DeathReason::wireName).collect(Collectors.joining(", "));
  }

  /** The reason with this name on the wire, if it is one that this broker knows. */
  public static Optional<DeathReason> ofWireName(String name) {
    for (DeathReason reason : values()) {
      if (reason.wireName.equals(name)) {
        return Optional.of(reason);
      }
    }
    return Optional.empty();
  }
}
