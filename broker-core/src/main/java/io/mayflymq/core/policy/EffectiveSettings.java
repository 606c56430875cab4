package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The effective settings of an object, with the origin of each.
 *
 * <p>The policy that applies is merged with the operator policy that applies, and then with the
 * arguments of the declaration, key by key:
 *
 * <pre>{@code
 * key                                              policy with operator policy   then with arguments (classic queues)
 * expires, message-ttl, max-length, -bytes         the lower                     the lower
 * overflow                                         the operator's                the argument's
 * dead-letter-exchange, dead-letter-routing-key    (not for operators)           the argument's
 * alternate-exchange (of exchanges)                (not for operators)           the argument's
 * others: see PolicyKey
 * }</pre>
 *
 * <p>Of several policies of a kind, which add up, the first one that has a key sets it; what any of
 * them pauses is paused.
 *
 * <p>A default of the configuration counts if none of them sets a key.
 *
 * <p>According to RabbitMQ's documentation operator policies always bound arguments; for overflow
 * its source does otherwise, and so does this broker.
 */
public final class EffectiveSettings {
  private final PolicySubject subject;
  private final AppliedPolicies policies;
  private final Map<PolicyKey, EffectiveValue> byPolicies = new EnumMap<>(PolicyKey.class);
  private final Map<PolicyKey, EffectiveValue> values = new EnumMap<>(PolicyKey.class);
  private final List<PolicyCandidate> candidates;
  private final Defaults defaults;

  /**
   * Merges the settings.
   *
   * @param policies those that apply
   * @param arguments valid arguments of the declaration
   * @param defaults what counts if nothing else sets a key
   * @param candidates all policies with their verdicts, in order of precedence
   */
  public EffectiveSettings(
      PolicySubject subject,
      AppliedPolicies policies,
      FieldTable arguments,
      Defaults defaults,
      List<PolicyCandidate> candidates) {
    this.subject = subject;
    this.policies = policies;
    this.candidates = candidates;
    this.defaults = defaults;
    byPolicies.putAll(addedUp(policies.policies()));
    addedUp(policies.operatorPolicies())
        .forEach(
            (key, value) ->
                byPolicies.merge(
                    key,
                    value,
                    (users, operators) -> users.mergedWith(operators, key.withOperatorPolicy())));
    values.putAll(byPolicies);
    arguments.forEach(this::mergeArgument);
    defaults.values().forEach(this::mergeDefault);
    long deliveryLimit = defaults.dialect().deliveryLimit();
    if (subject.isQuorumQueue() && deliveryLimit != QueueSettings.NONE) {
      values.computeIfAbsent(
          PolicyKey.DELIVERY_LIMIT, key -> EffectiveValue.ofDefault(key, deliveryLimit));
    }
  }

  private static Map<PolicyKey, EffectiveValue> addedUp(List<Policy> layers) {
    Map<PolicyKey, EffectiveValue> sum = new EnumMap<>(PolicyKey.class);
    for (Policy layer : layers) {
      for (PolicyKey key : layer.definition().keys()) {
        sum.merge(key, EffectiveValue.of(key, layer), EffectiveValue::over);
      }
    }
    return sum;
  }

  private void mergeDefault(PolicyKey key, Object value) {
    if (key.concerns(subject) && (subject.isExchange() || key.isSupportedBy(subject.type()))) {
      values.merge(key, EffectiveValue.ofDefault(key, value), EffectiveValue::before);
    }
  }

  private void mergeArgument(String name, FieldValue argument) {
    Object value = plain(argument);
    PolicyKey key = PolicyKey.ofArgument(subject, name).orElse(null);
    // Arguments that the broker does not know were never validated.
    if (value != null && key != null && key.accepts(value)) {
      values.merge(
          key,
          EffectiveValue.ofArgument(key, key.check(value)),
          (policies, given) -> policies.mergedWith(given, key.withArgument(subject)));
    }
  }

  /** As JSON would have it; null for what no key takes. */
  public static Object plain(FieldValue value) {
    if (value.isInteger()) {
      return value.longValue();
    }
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    }
    if (value instanceof FieldValue.Array list) {
      List<Object> items = new ArrayList<>();
      list.values().forEach(item -> items.add(String.valueOf(plain(item))));
      return items;
    }
    return value instanceof FieldValue.Bool flag ? (Object) flag.value() : null;
  }

  /** Returns the object. */
  public PolicySubject subject() {
    return subject;
  }

  /** Returns the policy that applies, before all that it adds to. */
  public Optional<Policy> policy() {
    return policies.policies().stream().findFirst();
  }

  /** Returns the operator policy that applies, before all that it adds to. */
  public Optional<Policy> operatorPolicy() {
    return policies.operatorPolicies().stream().findFirst();
  }

  /**
   * Returns the result of policy and operator policy, without arguments: RabbitMQ's {@code
   * effective_policy_definition}.
   */
  public Map<String, Object> policyDefinition() {
    Map<String, Object> map = new LinkedHashMap<>();
    byPolicies.forEach((key, value) -> map.put(key.wireName(), value.value()));
    return map;
  }

  /** Returns all settings, in alphabetical order of their keys. */
  public List<EffectiveValue> values() {
    return List.copyOf(values.values());
  }

  /** Returns one setting. */
  public Optional<EffectiveValue> value(PolicyKey key) {
    return Optional.ofNullable(values.get(key));
  }

  /** Returns all policies of the virtual host, and why each of them does or does not apply. */
  public List<PolicyCandidate> candidates() {
    return candidates;
  }

  /**
   * Returns the effective settings as a queue uses them.
   *
   * @param byArguments the settings by its arguments alone, for those that no policy can set
   */
  public QueueSettings toQueueSettings(QueueSettings byArguments) {
    Map<PolicyKey, Object> keys = new EnumMap<>(PolicyKey.class);
    values.forEach((key, value) -> keys.put(key, value.value()));
    return new QueueValues(
            byArguments.type(),
            byArguments.singleActiveConsumer(),
            byArguments.maxPriority(),
            keys,
            defaults)
        .settings();
  }

  /** Returns the number of a key, or {@link QueueSettings#NONE}. */
  long number(PolicyKey key) {
    EffectiveValue value = values.get(key);
    return value == null ? QueueSettings.NONE : (long) value.value();
  }

  /** Returns the text of a key, or null. */
  String text(PolicyKey key) {
    EffectiveValue value = values.get(key);
    return value == null ? null : (String) value.value();
  }

  /**
   * Returns the policies that apply, each setting with its origin, and all candidates, for JSON.
   */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", subject.name());
    map.put("kind", subject.kind());
    map.put("policy", policy().map(Policy::name).orElse(null));
    map.put("operator_policy", operatorPolicy().map(Policy::name).orElse(null));
    map.put("effective_policy_definition", policyDefinition());
    map.put("settings", values.values().stream().map(EffectiveValue::toMap).toList());
    map.put("candidates", candidates.stream().map(PolicyCandidate::toMap).toList());
    return map;
  }

  /**
   * The same for who does not see the policies of the virtual host: without candidates, and without
   * values of policies that are not effective.
   */
  public Map<String, Object> toMapOfEffects() {
    Map<String, Object> map = toMap();
    map.put(
        "settings",
        values.values().stream().map(value -> value.withoutLosersOfPolicies().toMap()).toList());
    map.put("candidates", List.of());
    return map;
  }
}
