package io.mayflymq.core.policy;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.message.DeathReason;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Converts the merged values of a queue's keys, which are all valid, to its settings. */
final class QueueSettingsReader {
  private static final Map<DeathReason, PolicyKey> ROUTING_KEYS = new EnumMap<>(DeathReason.class);

  static {
    ROUTING_KEYS.put(DeathReason.REJECTED, PolicyKey.DEAD_LETTER_ROUTING_KEY_REJECTED);
    ROUTING_KEYS.put(DeathReason.EXPIRED, PolicyKey.DEAD_LETTER_ROUTING_KEY_EXPIRED);
    ROUTING_KEYS.put(DeathReason.MAXLEN, PolicyKey.DEAD_LETTER_ROUTING_KEY_MAXLEN);
    ROUTING_KEYS.put(DeathReason.DELIVERY_LIMIT, PolicyKey.DEAD_LETTER_ROUTING_KEY_DELIVERY_LIMIT);
    ROUTING_KEYS.put(DeathReason.QUEUE_EXPIRED, PolicyKey.DEAD_LETTER_ROUTING_KEY_QUEUE_EXPIRED);
    ROUTING_KEYS.put(DeathReason.QUEUE_DELETED, PolicyKey.DEAD_LETTER_ROUTING_KEY_QUEUE_DELETED);
  }

  private final EffectiveSettings effective;
  private final Defaults defaults;
  private final QueueSettings.Builder settings;

  private QueueSettingsReader(
      EffectiveSettings effective, QueueSettings byArguments, Defaults defaults) {
    this.effective = effective;
    this.defaults = defaults;
    this.settings =
        QueueSettings.builder()
            .type(byArguments.type())
            .singleActiveConsumer(byArguments.singleActiveConsumer())
            .maxPriority(
                defaults.dialect().maxPriority(byArguments.type(), byArguments.maxPriority()));
  }

  /**
   * Converts the values.
   *
   * @param byArguments the settings by arguments alone, for those that no policy can set
   * @param defaults what the configuration disables altogether
   */
  static QueueSettings of(
      EffectiveSettings effective, QueueSettings byArguments, Defaults defaults) {
    QueueSettingsReader reader = new QueueSettingsReader(effective, byArguments, defaults);
    reader.expiry();
    reader.lease(byArguments.type());
    reader.length();
    reader.deadLetters();
    reader.deliveries(byArguments.type());
    reader.stream();
    return reader.settings.build();
  }

  private void expiry() {
    if (!defaults.messageTtl()) {
      settings.ttlMode(TtlMode.QUEUE_ONLY);
      return;
    }
    settings
        .messageTtlMillis(effective.number(PolicyKey.MESSAGE_TTL))
        .messageTtlRetroactive(flag(PolicyKey.MESSAGE_TTL_RETROACTIVE, true))
        .ttlFloorMillis(Math.max(0, effective.number(PolicyKey.MESSAGE_TTL_FLOOR)));
    word(PolicyKey.MESSAGE_TTL_MODE, TtlMode.class, settings::ttlMode);
    word(PolicyKey.EXPIRY_MODE, ExpiryMode.class, settings::expiryMode);
  }

  private void lease(QueueType type) {
    long expires = effective.number(PolicyKey.EXPIRES);
    settings
        .expiresMillis(
            expires == QueueSettings.NONE
                ? expires
                : Math.max(expires, defaults.leastExpiresMillis()))
        .expiresOnlyIfEmpty(is(PolicyKey.EXPIRES_CONDITION, "unused-and-empty"))
        .deadLettersOnExpire(is(PolicyKey.EXPIRES_ACTION, "dead-letter"))
        .leaseUses(defaults.dialect().leaseUses(type));
    List<String> uses = words(PolicyKey.EXPIRES_ACTIVITY);
    if (uses != null) {
      Set<LeaseUse> chosen = EnumNames.constants(LeaseUse.class, uses);
      if (uses.contains("service-bus")) {
        chosen.addAll(LeaseUse.SERVICE_BUS);
      }
      if (chosen.contains(LeaseUse.DECLARE)) {
        chosen.add(LeaseUse.PASSIVE_DECLARE);
      }
      settings.leaseUses(chosen);
    }
  }

  private void length() {
    String overflow = effective.text(PolicyKey.OVERFLOW);
    settings
        .maxLength(effective.number(PolicyKey.MAX_LENGTH))
        .maxLengthBytes(effective.number(PolicyKey.MAX_LENGTH_BYTES))
        .lengthCountsUnacked(is(PolicyKey.MAX_LENGTH_SCOPE, "total"))
        .lengthDropsLowest(is(PolicyKey.MAX_LENGTH_DROP, "lowest-priority"));
    if (overflow != null) {
      settings.overflow(Overflow.ofWireName(overflow).orElse(Overflow.DROP_HEAD));
    }
  }

  private void deadLetters() {
    if (!defaults.deadLettering()) {
      return;
    }
    settings
        .deadLetterExchange(effective.text(PolicyKey.DEAD_LETTER_EXCHANGE))
        .deadLetterRoutingKey(effective.text(PolicyKey.DEAD_LETTER_ROUTING_KEY))
        .autoDeadLetterQueue(is(PolicyKey.DEAD_LETTER_QUEUE, "auto"))
        .countsPublishedDeaths(defaults.dialect().countsPublishedDeaths())
        .keepsRefusedDeadLetters(
            !is(PolicyKey.DEAD_LETTER_REFUSED, "drop")
                && !is(PolicyKey.DEAD_LETTER_STRATEGY, "at-most-once"))
        // As in RabbitMQ: not with drop-head, which would drop what waits, too.
        .deadLettersAtLeastOnce(
            is(PolicyKey.DEAD_LETTER_STRATEGY, "at-least-once")
                && (is(PolicyKey.OVERFLOW, "reject-publish")
                    || is(PolicyKey.OVERFLOW, "reject-publish-dlx")));
    List<String> reasons = words(PolicyKey.DEAD_LETTER_ON);
    if (reasons != null) {
      Set<DeathReason> on = EnumSet.noneOf(DeathReason.class);
      reasons.forEach(reason -> DeathReason.ofWireName(reason).ifPresent(on::add));
      settings.deadLetterOn(on);
    }
    List<String> headers = words(PolicyKey.DEAD_LETTER_HEADERS);
    settings.serviceBusHeaders(headers != null && headers.contains("service-bus"));
    ROUTING_KEYS.forEach(
        (reason, key) -> {
          String routingKey = effective.text(key);
          if (routingKey != null) {
            settings.deadLetterRoutingKey(reason, routingKey);
          }
        });
  }

  private void deliveries(QueueType type) {
    long timeout = effective.number(PolicyKey.CONSUMER_TIMEOUT);
    settings.timeoutAction(
        type != QueueType.QUORUM
                && defaults.denied().contains(DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT)
            ? TimeoutAction.NONE
            : defaults.dialect().timeoutAction(type));
    long lock = effective.number(PolicyKey.LOCK_DURATION);
    if (lock != QueueSettings.NONE) {
      settings.timeoutAction(TimeoutAction.REQUEUE);
      timeout = timeout == QueueSettings.NONE ? lock : Math.min(timeout, lock);
    }
    settings
        .deliveryLimit(Math.max(effective.number(PolicyKey.DELIVERY_LIMIT), QueueSettings.NONE))
        .countsEachReturn(defaults.dialect().countsEachReturn())
        .activeByPriority(defaults.dialect().activeByPriority(type))
        .consumerTimeoutMillis(timeout)
        .consumerDisconnectedMillis(
            type == QueueType.QUORUM
                ? effective.number(PolicyKey.CONSUMER_DISCONNECTED_TIMEOUT)
                : QueueSettings.NONE)
        .retry(retry())
        .retriesCount(defaults.dialect().retriesCount(type));
    word(PolicyKey.CONSUMER_TIMEOUT_ACTION, TimeoutAction.class, settings::timeoutAction);
  }

  private RetrySettings retry() {
    RetryType type =
        EnumNames.constant(RetryType.class, textOr(PolicyKey.DELAYED_RETRY_TYPE, "disabled"))
            .orElse(RetryType.DISABLED);
    if (type == RetryType.DISABLED) {
      return RetrySettings.NONE;
    }
    List<String> delays = words(PolicyKey.DELAYED_RETRY_DELAYS);
    return new RetrySettings(
        type,
        effective.number(PolicyKey.DELAYED_RETRY_MIN),
        effective.number(PolicyKey.DELAYED_RETRY_MAX),
        EnumNames.constant(Backoff.class, textOr(PolicyKey.DELAYED_RETRY_BACKOFF, "linear"))
            .orElse(Backoff.LINEAR),
        (int) Math.max(0, effective.number(PolicyKey.DELAYED_RETRY_JITTER)),
        delays == null ? List.of() : delays.stream().map(Long::valueOf).toList());
  }

  private void stream() {
    String age = effective.text(PolicyKey.MAX_AGE);
    settings.stream(
        new StreamSettings(
            age == null ? QueueSettings.NONE : MaxAge.millis(age).orElse(QueueSettings.NONE),
            effective.number(PolicyKey.STREAM_MAX_SEGMENT_SIZE_BYTES)));
  }

  private boolean is(PolicyKey key, String word) {
    return word.equals(effective.text(key));
  }

  private String textOr(PolicyKey key, String absent) {
    String text = effective.text(key);
    return text == null ? absent : text;
  }

  private boolean flag(PolicyKey key, boolean absent) {
    return effective.value(key).map(value -> (boolean) value.value()).orElse(absent);
  }

  private List<String> words(PolicyKey key) {
    String text = effective.text(key);
    return text == null ? null : ValueValidator.split(text);
  }

  private <E extends Enum<E>> void word(PolicyKey key, Class<E> type, Consumer<E> setting) {
    String word = effective.text(key);
    if (word != null) {
      EnumNames.constant(type, word).ifPresent(setting);
    }
  }
}
