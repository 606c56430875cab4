package io.mayflymq.core.policy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The release series of RabbitMQ whose rules a virtual host follows where these differ between
 * series.
 *
 * <p>Source: RabbitMQ 3.13.7 and 4.3.6, run side by side; docs/compatibility.md lists the rules.
 */
public enum Dialect {
  /** RabbitMQ 3.13. */
  V3_13("3.13", "3.13.7"),
  /** RabbitMQ 4.3. */
  V4_3("4.3", "4.3.6");

  /** The dialect of a broker that is not told another one. */
  public static final Dialect DEFAULT = V4_3;

  private final String series;
  private final String version;

  Dialect(String series, String version) {
    this.series = series;
    this.version = version;
  }

  /** The dialect of this series, such as {@code 4.3}. */
  public static Optional<Dialect> ofSeries(String series) {
    return Arrays.stream(values()).filter(dialect -> dialect.series.equals(series)).findFirst();
  }

  /** Returns the series, such as {@code 4.3}. */
  public String series() {
    return series;
  }

  /**
   * Returns the release that the broker says it is, such as {@code 4.3.6}; clients and tools choose
   * their behaviour by it.
   */
  public String version() {
    return version;
  }

  /** Returns how often a message of a quorum queue may be returned where nothing says that. */
  public long deliveryLimit() {
    return this == V3_13 ? QueueSettings.NONE : 20;
  }

  /**
   * Returns the highest priority of a queue, or {@link QueueSettings#NO_PRIORITIES}.
   *
   * @param declared that of its arguments, which quorum queues do not have
   */
  public int maxPriority(QueueType type, int declared) {
    if (type != QueueType.QUORUM) {
      return declared;
    }
    return this == V3_13 ? QueueSettings.NO_PRIORITIES : QueueSettings.HIGHEST_OF_QUORUM_QUEUES;
  }

  /** Returns whether a consumer of a higher priority takes over from the single active one. */
  public boolean activeByPriority(QueueType type) {
    return this == V4_3 && type == QueueType.QUORUM;
  }

  /**
   * Returns the arguments that a redeclaration of such a queue must agree on besides {@link
   * QueueType#arguments()}, in the order in which they are compared.
   */
  public List<String> comparedArguments(QueueType type) {
    if (this == V3_13) {
      return List.of();
    }
    return switch (type) {
      case CLASSIC -> List.of();
      case QUORUM ->
          List.of(
              "x-consumer-disconnected-timeout",
              "x-consumer-timeout",
              "x-delayed-retry-max",
              "x-delayed-retry-min",
              "x-delayed-retry-type");
      case STREAM -> List.of("x-stream-filter-size-bytes");
    };
  }

  /** Returns what counts as use of such a queue if nothing else is chosen. */
  public Set<LeaseUse> leaseUses(QueueType type) {
    return this == V4_3 && type == QueueType.QUORUM ? LeaseUse.OF_QUORUM_QUEUES : LeaseUse.DEFAULT;
  }

  /**
   * Returns whether messages that wait for a retry count towards the length limit, and a purge
   * removes them.
   */
  public boolean retriesCount(QueueType type) {
    return this == V4_3 && type == QueueType.QUORUM;
  }

  /** Returns what happens to deliveries of such a queue that are not acknowledged in time. */
  public TimeoutAction timeoutAction(QueueType type) {
    return this == V4_3 && type == QueueType.QUORUM
        ? TimeoutAction.CANCEL
        : TimeoutAction.CLOSE_CHANNEL;
  }

  /**
   * Returns whether {@code basic.nack} and {@code basic.reject} acknowledge messages of streams.
   */
  public boolean settlesStreamsByAnyVerdict() {
    return this == V4_3;
  }

  /**
   * Returns whether an {@code x-death} header that a publisher sets counts as history of its
   * message.
   */
  public boolean countsPublishedDeaths() {
    return this == V3_13;
  }

  /**
   * Returns whether each return counts towards the delivery limit; else only {@code basic.reject}
   * and the end of a channel do.
   */
  public boolean countsEachReturn() {
    return this == V3_13;
  }
}
