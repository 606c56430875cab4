package io.mayflymq.core.policy;

import io.mayflymq.core.naming.NearestName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The settings of a policy: keys with their values, at least one. Immutable; a value is a Long,
 * String, Boolean, List of strings, or map of strings to strings.
 */
public final class PolicyDefinition {
  /** How many unknown keys an error names. */
  private static final int MOST_NAMED = 5;

  private final Map<PolicyKey, Object> values;

  private PolicyDefinition(Map<PolicyKey, Object> values) {
    this.values = Collections.unmodifiableMap(values);
  }

  /**
   * Validates a definition.
   *
   * @param kind the kind of policy
   * @param definition as parsed from JSON: names of keys, and numbers, strings, Booleans, lists,
   *     maps or null
   * @throws PolicyException if it is empty, a key is unknown or a value is not valid
   */
  public static PolicyDefinition of(PolicyKind kind, Map<String, ?> definition) {
    if (definition.isEmpty()) {
      throw new PolicyException("no policy provided");
    }
    Map<PolicyKey, Object> values = new EnumMap<>(PolicyKey.class);
    Map<String, Object> unknown = new LinkedHashMap<>();
    new TreeMap<>(definition)
        .forEach(
            (name, value) -> {
              PolicyKey key = PolicyKey.ofWireName(name).orElse(null);
              if (key == null || !key.isAllowedIn(kind)) {
                unknown.put(name, value);
              } else {
                DeprecatedNames.warn("policy key", name, key.wireName());
                values.put(key, check(key, value));
              }
            });
    if (!unknown.isEmpty()) {
      throw unknown(kind, unknown);
    }
    CombinationRules.check(values);
    return new PolicyDefinition(values);
  }

  private static Object check(PolicyKey key, Object value) {
    try {
      return key.check(value);
    } catch (PolicyException e) {
      List<String> expected = e.explanations();
      throw new PolicyException(
          e.getMessage(),
          expected.isEmpty()
              ? List.of("'%s' is %s".formatted(key.wireName(), value))
              : expected.stream()
                  .map(each -> "'%s' is %s: %s".formatted(key.wireName(), value, each))
                  .toList());
    }
  }

  private static PolicyException unknown(PolicyKind kind, Map<String, Object> unknown) {
    List<String> allowed =
        Arrays.stream(PolicyKey.values())
            .filter(key -> key.isAllowedIn(kind))
            .map(PolicyKey::wireName)
            .toList();
    List<String> explanations = new ArrayList<>();
    unknown.keySet().stream()
        .limit(MOST_NAMED)
        .forEach(
            name ->
                explanations.add(
                    PolicyKey.ofWireName(name).isPresent()
                        ? "'%s' is a key of policies, and not of operator policies".formatted(name)
                        : "'%s' is no key of %s%s"
                            .formatted(name, kind.plural(), NearestName.hint(name, allowed))));
    return new PolicyException(
        ErlangTerm.pairs(unknown) + " are not recognised policy settings", explanations);
  }

  /** Returns its keys, in alphabetical order. */
  public Set<PolicyKey> keys() {
    return values.keySet();
  }

  /** Returns the value of a key, or null. */
  public Object get(PolicyKey key) {
    return values.get(key);
  }

  /** Returns it as in JSON, in alphabetical order of the keys. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    values.forEach((key, value) -> map.put(key.wireName(), value));
    return map;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PolicyDefinition that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return toMap().toString();
  }
}
