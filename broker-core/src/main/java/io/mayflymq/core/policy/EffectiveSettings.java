package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * What an object lives by, with where each setting came from.
 *
 * The policy that applies is merged with the operator policy that applies, and then with the arguments of the declaration, key by key:
 *
 *   key                                              policy with operator policy   then with arguments (classic queues)
 *   expires, message-ttl, max-length, -bytes         the lower                     the lower
 *   overflow                                         the operator's                the argument's
 *   dead-letter-exchange, dead-letter-routing-key    (not for operators)           the argument's
 *   alternate-exchange (of exchanges)                (not for operators)           the argument's
 *
 * RabbitMQ's documentation says that operator policies bound arguments always; for overflow its source says otherwise, and so do we.
 */
public final class EffectiveSettings {
  private final PolicySubject subject;
  private final Policy policy;
  private final Policy operatorPolicy;
  private final Map<PolicyKey, EffectiveValue> byPolicies = new EnumMap<>(PolicyKey.class);
  private final Map<PolicyKey, EffectiveValue> values = new EnumMap<>(PolicyKey.class);
  private final List<PolicyCandidate> candidates;

  /**
   * Merges what applies.
   *
   * @param policy null for none
   * @param operatorPolicy null for none
   * @param arguments valid arguments of the declaration
   * @param candidates all policies with their verdicts, the ones that apply first
   */
  EffectiveSettings(
      PolicySubject subject,
      Policy policy,
      Policy operatorPolicy,
      FieldTable arguments,
      List<PolicyCandidate> candidates) {
    this.subject = subject;
    this.policy = policy;
    this.operatorPolicy = operatorPolicy;
    this.candidates = candidates;
    if (policy != null) {
      policy
          .definition()
          .keys()
          .forEach(key -> byPolicies.put(key, EffectiveValue.of(key, policy)));
    }
    if (operatorPolicy != null) {
      for (PolicyKey key : operatorPolicy.definition().keys()) {
        byPolicies.merge(
            key,
            EffectiveValue.of(key, operatorPolicy),
            (users, operators) -> users.mergedWith(operators, key.withOperatorPolicy()));
      }
    }
    values.putAll(byPolicies);
    arguments.forEach(this::mergeArgument);
  }

  private void mergeArgument(String name, FieldValue argument) {
    Object value = plain(argument);
    PolicyKey key = PolicyKey.ofArgument(name).orElse(null);
    // Arguments that mean nothing to the broker were never validated.
    if (value != null && key != null && key.concerns(subject) && key.accepts(value)) {
      values.merge(
          key,
          EffectiveValue.ofArgument(key, value),
          (policies, given) -> policies.mergedWith(given, key.withArgument(subject)));
    }
  }

  private static Object plain(FieldValue value) {
    if (value.isInteger()) {
      return value.longValue();
    }
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    }
    return value instanceof FieldValue.Bool flag ? (Object) flag.value() : null;
  }

  /** The object. */
  public PolicySubject subject() {
    return subject;
  }

  /** The policy that applies. */
  public Optional<Policy> policy() {
    return Optional.ofNullable(policy);
  }

  /** The operator policy that applies. */
  public Optional<Policy> operatorPolicy() {
    return Optional.ofNullable(operatorPolicy);
  }

  /**
   * What policy and operator policy give together, without arguments: RabbitMQ's {@code
   * effective_policy_definition}.
   */
  public Map<String, Object> policyDefinition() {
    Map<String, Object> map = new LinkedHashMap<>();
    byPolicies.forEach((key, value) -> map.put(key.wireName(), value.value()));
    return map;
  }

  /** All settings, in alphabetical order of their keys. */
  public List<EffectiveValue> values() {
    return List.copyOf(values.values());
  }

  /** One setting. */
  public Optional<EffectiveValue> value(PolicyKey key) {
    return Optional.ofNullable(values.get(key));
  }

  /** All policies of the virtual host, and why each of them does or does not apply. */
  public List<PolicyCandidate> candidates() {
    return candidates;
  }

  /**
   * What a queue lives by.
   *
   * @param byArguments what its arguments alone say, from which comes what no policy can set
   */
  QueueSettings toQueueSettings(QueueSettings byArguments) {
    return new QueueSettings(
        number(PolicyKey.MESSAGE_TTL),
        number(PolicyKey.EXPIRES),
        number(PolicyKey.MAX_LENGTH),
        number(PolicyKey.MAX_LENGTH_BYTES),
        value(PolicyKey.OVERFLOW)
            .flatMap(overflow -> Overflow.ofWireName((String) overflow.value()))
            .orElse(Overflow.DROP_HEAD)
            .in(byArguments.type()),
        text(PolicyKey.DEAD_LETTER_EXCHANGE),
        text(PolicyKey.DEAD_LETTER_ROUTING_KEY),
        byArguments.singleActiveConsumer(),
        value(PolicyKey.MESSAGE_TTL_RETROACTIVE).map(EffectiveValue::value).orElse(true)
            == Boolean.TRUE,
        byArguments.type(),
        byArguments.maxPriority(),
        Math.max(number(PolicyKey.DELIVERY_LIMIT), QueueSettings.NONE),
        number(PolicyKey.CONSUMER_TIMEOUT),
        new StreamSettings(maxAgeMillis(), number(PolicyKey.STREAM_MAX_SEGMENT_SIZE_BYTES)));
  }

  private long maxAgeMillis() {
    String age = text(PolicyKey.MAX_AGE);
    return age == null ? QueueSettings.NONE : MaxAge.millis(age).orElse(QueueSettings.NONE);
  }

  private long number(PolicyKey key) {
    EffectiveValue value = values.get(key);
    return value == null ? QueueSettings.NONE : (long) value.value();
  }

  /** The text of a key, or null. */
  String text(PolicyKey key) {
    EffectiveValue value = values.get(key);
    return value == null ? null : (String) value.value();
  }

  /** For JSON: the policies that apply, each setting with its origin, and all candidates. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", subject.name());
    map.put("kind", subject.kind());
    map.put("policy", policy == null ? null : policy.name());
    map.put("operator_policy", operatorPolicy == null ? null : operatorPolicy.name());
    map.put("effective_policy_definition", policyDefinition());
    map.put("settings", values.values().stream().map(EffectiveValue::toMap).toList());
    map.put("candidates", candidates.stream().map(PolicyCandidate::toMap).toList());
    return map;
  }
}
