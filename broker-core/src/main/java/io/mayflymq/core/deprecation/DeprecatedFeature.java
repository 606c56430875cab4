package io.mayflymq.core.deprecation;

/**
 * What RabbitMQ 4 advises against, denies unless it is configured, or no longer has. Here each is
 * permitted unless the configuration denies it.
 *
 * <p>Source: RabbitMQ 4.3.6, which has names and phases for the first three only; the names of the
 * others are this broker's own.
 */
public enum DeprecatedFeature {
  /** Queues that are neither durable nor exclusive. */
  TRANSIENT_NONEXCL_QUEUES(
      "transient_nonexcl_queues",
      Phase.PERMITTED_BY_DEFAULT,
      "rabbit",
      "Queues that are neither durable nor exclusive"),
  /** One prefetch limit for all consumers of a channel. */
  GLOBAL_QOS(
      "global_qos",
      Phase.DENIED_BY_DEFAULT,
      "rabbit",
      "basic.qos with the bit global: one limit for all consumers of a channel"),
  /** {@code x-queue-master-locator} and {@code queue-master-locator}. */
  QUEUE_MASTER_LOCATOR(
      "queue_master_locator",
      Phase.DENIED_BY_DEFAULT,
      "rabbit",
      "The argument x-queue-master-locator and the policy key queue-master-locator"),
  /** Acknowledgement timeouts of queues that are no quorum queues. */
  CLASSIC_QUEUE_CONSUMER_TIMEOUT(
      "classic_queue_consumer_timeout",
      Phase.REMOVED,
      "mayfly",
      "Consumer timeouts of classic queues and streams"),
  /** {@code x-queue-mode} and {@code queue-mode}, without effect. */
  CLASSIC_QUEUE_MODE(
      "classic_queue_mode",
      Phase.PERMITTED_BY_DEFAULT,
      "mayfly",
      "The argument x-queue-mode and the policy key queue-mode, which have no effect"),
  /** Version 1 of classic queues, without effect. */
  CLASSIC_QUEUE_VERSION_1(
      "classic_queue_version_1",
      Phase.REMOVED,
      "mayfly",
      "The version 1 in x-queue-version and queue-version, which has no effect"),
  /** Connections with frames of less than 8192 bytes. */
  FRAME_MAX_BELOW_8192(
      "frame_max_below_8192",
      Phase.REMOVED,
      "mayfly",
      "Connections whose largest frame has less than 8192 bytes");

  /** How far RabbitMQ 4.3 has got with taking a feature away. */
  public enum Phase {
    /** It works, and can be denied. */
    PERMITTED_BY_DEFAULT("permitted_by_default"),
    /** It works only if the configuration permits it. */
    DENIED_BY_DEFAULT("denied_by_default"),
    /** It is gone. */
    REMOVED("removed");

    private final String wireName;

    Phase(String wireName) {
      this.wireName = wireName;
    }

    /** Returns RabbitMQ's name. */
    public String wireName() {
      return wireName;
    }
  }

  private static final String KEY_PREFIX = "deprecated_features.permit.";

  private final String featureName;
  private final Phase phase;
  private final String provider;
  private final String description;

  DeprecatedFeature(String featureName, Phase phase, String provider, String description) {
    this.featureName = featureName;
    this.phase = phase;
    this.provider = provider;
    this.description = description;
  }

  /** Returns its name, such as {@code global_qos}. */
  public String featureName() {
    return featureName;
  }

  /** Returns how far RabbitMQ 4.3 has got with it. */
  public Phase phase() {
    return phase;
  }

  /** Returns whose name it has: {@code rabbit} or {@code mayfly}. */
  public String provider() {
    return provider;
  }

  /** Returns what it is, in a few words. */
  public String description() {
    return description;
  }

  /** Returns the key of the configuration that permits or denies it. */
  public String configurationKey() {
    return KEY_PREFIX + featureName;
  }

  /** Returns RabbitMQ 4.3.6's text for its use where it is denied. */
  public String refusal() {
    String why =
        phase == Phase.PERMITTED_BY_DEFAULT
            ? "Its use is not permitted per the configuration (overriding the default, which is"
                + " permitted):\n    \""
                + configurationKey()
                + " = false\"\nIts use will not be permitted by default in a future minor RabbitMQ"
                + " version and the feature will be removed from a future major RabbitMQ version;"
                + " actual versions to be determined.\n"
            : "By default, this feature is not permitted anymore.\nThe feature will be removed"
                + " from a future major RabbitMQ version, regardless of the configuration; actual"
                + " version to be determined.\n";
    return "Feature `%s` is deprecated.\n%sTo continue using this feature when it is not permitted by default, set the following parameter in your configuration:\n    \"%s = true\""
        .formatted(featureName, why, configurationKey());
  }
}
