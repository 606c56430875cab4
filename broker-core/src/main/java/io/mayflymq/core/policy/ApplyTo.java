package io.mayflymq.core.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Which kinds of object a policy is for.
 *
 * <p>Source: RabbitMQ, "Parameters and Policies", section "How Policies Work".
 */
public enum ApplyTo {
  /** Queues and exchanges. The default. */
  ALL("all"),
  /** Queues of every type. */
  QUEUES("queues"),
  /** Classic queues. */
  CLASSIC_QUEUES("classic_queues"),
  /** Quorum queues. */
  QUORUM_QUEUES("quorum_queues"),
  /** Streams. */
  STREAMS("streams"),
  /** Exchanges. */
  EXCHANGES("exchanges");

  private final String wireName;

  ApplyTo(String wireName) {
    this.wireName = wireName;
  }

  /** The name in policies. */
  public String wireName() {
    return wireName;
  }

  /** The names in policies, in order. */
  static List<String> wireNames() {
    return Arrays.stream(values()).map(ApplyTo::wireName).toList();
  }

  /** The constant of this name. */
  public static Optional<ApplyTo> ofWireName(String name) {
    for (ApplyTo applyTo : values()) {
      if (applyTo.wireName.equals(name)) {
        return Optional.of(applyTo);
      }
    }
    return Optional.empty();
  }

  /** Whether it includes this kind of object. */
  public boolean covers(PolicySubject subject) {
    return switch (this) {
      case ALL -> true;
      case QUEUES -> !subject.isExchange();
      case CLASSIC_QUEUES -> subject.type() == QueueType.CLASSIC;
      case QUORUM_QUEUES -> subject.type() == QueueType.QUORUM;
      case STREAMS -> subject.type() == QueueType.STREAM;
      case EXCHANGES -> subject.isExchange();
    };
  }
}
