package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The kinds of queue, and which arguments of a declaration each of them knows.
 *
 * <p>Source: RabbitMQ 3.13, the {@code capabilities} of its queue types.
 */
public enum QueueType {
  /** A queue of one node. */
  CLASSIC(
      "classic",
      "rabbit_classic_queue",
      List.of(
          "x-expires",
          "x-message-ttl",
          "x-dead-letter-exchange",
          "x-dead-letter-routing-key",
          "x-max-length",
          "x-max-length-bytes",
          "x-max-priority",
          "x-overflow",
          "x-queue-mode",
          "x-queue-version",
          "x-single-active-consumer",
          "x-queue-type",
          "x-queue-master-locator",
          "x-queue-leader-locator")),
  /** A replicated queue. */
  QUORUM(
      "quorum",
      "rabbit_quorum_queue",
      List.of(
          "x-dead-letter-exchange",
          "x-dead-letter-routing-key",
          "x-dead-letter-strategy",
          "x-expires",
          "x-max-length",
          "x-max-length-bytes",
          "x-max-in-memory-length",
          "x-max-in-memory-bytes",
          "x-overflow",
          "x-single-active-consumer",
          "x-queue-type",
          "x-quorum-initial-group-size",
          "x-delivery-limit",
          "x-message-ttl",
          "x-queue-leader-locator")),
  /** A replicated log that consumers read without taking from it. */
  STREAM(
      "stream",
      "rabbit_stream_queue",
      List.of(
          "x-queue-type",
          "x-max-length-bytes",
          "x-queue-leader-locator",
          "x-max-age",
          "x-stream-max-segment-size-bytes",
          "x-initial-cluster-size"));

  /** The argument of a declaration that names the type. */
  public static final String ARGUMENT = "x-queue-type";

  private final String wireName;
  private final String module;

  @SuppressWarnings("ImmutableEnumChecker") // never changes
  private final List<String> arguments;

  // filled in the static initializer only
  @SuppressWarnings("ImmutableEnumChecker")
  private final Set<String> argumentsOfOthers = new LinkedHashSet<>();

  static {
    for (QueueType type : values()) {
      Arrays.stream(values()).forEach(other -> type.argumentsOfOthers.addAll(other.arguments));
      type.argumentsOfOthers.removeAll(type.arguments);
    }
    // An extension of this broker: returns are counted in classic queues, too.
    CLASSIC.argumentsOfOthers.remove("x-delivery-limit");
  }

  QueueType(String wireName, String module, List<String> arguments) {
    this.wireName = wireName;
    this.module = module;
    this.arguments = arguments;
  }

  /** The type of this name. */
  public static Optional<QueueType> ofWireName(String name) {
    return Arrays.stream(values()).filter(type -> type.wireName.equals(name)).findFirst();
  }

  /** The type of this name, or of the long form that RabbitMQ's virtual hosts may have. */
  public static Optional<QueueType> ofEitherName(String name) {
    return Arrays.stream(values())
        .filter(type -> type.wireName.equals(name) || type.module.equals(name))
        .findFirst();
  }

  /** Returns the type of queue that a declaration with these valid arguments creates. */
  public static QueueType of(FieldTable arguments) {
    return arguments.get(ARGUMENT) instanceof FieldValue.LongString name
        ? ofWireName(name.string()).orElse(CLASSIC)
        : CLASSIC;
  }

  /** The name in the argument {@code x-queue-type}. */
  public String wireName() {
    return wireName;
  }

  /** Returns the name that RabbitMQ's error texts use for it. */
  public String module() {
    return module;
  }

  /**
   * Returns the arguments that this type supports, which a redeclaration must agree on, in the
   * order in which they are compared.
   */
  public List<String> arguments() {
    return arguments;
  }

  /** Returns the arguments that this type refuses, as only other types support them. */
  public Set<String> argumentsOfOthers() {
    return argumentsOfOthers;
  }

  /** Whether queues of this type may have these properties. */
  public boolean allows(boolean durable, boolean exclusive, boolean autoDelete) {
    return this == CLASSIC || (durable && !exclusive && !autoDelete);
  }
}
