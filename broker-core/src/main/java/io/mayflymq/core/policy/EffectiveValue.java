package io.mayflymq.core.policy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The effective value of a key for an object, its origin, and the values that it was preferred to.
 *
 * @param key the key
 * @param value a Long, String, Boolean, or List of strings
 * @param origin its origin
 * @param policy the name of the policy it came from, or null for an argument or a default
 * @param losers the other values of this key
 */
public record EffectiveValue(
    PolicyKey key, Object value, Origin origin, String policy, List<Loser> losers) {
  /** The possible origins of a value. */
  public enum Origin {
    /** A policy. */
    POLICY("policy"),
    /** An operator policy. */
    OPERATOR_POLICY("operator policy"),
    /** An argument of the declaration. */
    ARGUMENT("argument"),
    /** The broker's configuration. */
    DEFAULT("default");

    private final String words;

    Origin(String words) {
      this.words = words;
    }

    /** In words. */
    public String inWords() {
      return words;
    }

    static Origin of(PolicyKind kind) {
      return kind == PolicyKind.POLICY ? POLICY : OPERATOR_POLICY;
    }
  }

  /**
   * A value that is not effective.
   *
   * @param value the value
   * @param origin its origin
   * @param policy the name of the policy it came from, or null for an argument or a default
   * @param reason why it is not effective, in words
   */
  public record Loser(Object value, Origin origin, String policy, String reason) {
    Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("value", value);
      map.put("origin", origin.inWords());
      map.put("policy", policy);
      map.put("reason", reason);
      return map;
    }
  }

  static EffectiveValue of(PolicyKey key, Policy policy) {
    return new EffectiveValue(
        key, policy.definition().get(key), Origin.of(policy.kind()), policy.name(), List.of());
  }

  static EffectiveValue ofArgument(PolicyKey key, Object value) {
    return new EffectiveValue(key, value, Origin.ARGUMENT, null, List.of());
  }

  static EffectiveValue ofDefault(PolicyKey key, Object value) {
    return new EffectiveValue(key, value, Origin.DEFAULT, null, List.of());
  }

  /** Returns this value with a default as a further value that is not effective. */
  EffectiveValue before(EffectiveValue byDefault) {
    List<Loser> all = new ArrayList<>(losers);
    all.add(
        new Loser(
            byDefault.value, Origin.DEFAULT, null, "a default counts where nothing else is said"));
    return new EffectiveValue(key, value, origin, policy, List.copyOf(all));
  }

  /** Merges this value with one that an operator policy or argument has for the same key. */
  EffectiveValue mergedWith(EffectiveValue second, Merge merge) {
    boolean secondCounts = merge.prefersSecond(value, second.value);
    EffectiveValue winner = secondCounts ? second : this;
    EffectiveValue other = secondCounts ? this : second;
    String reason = value.equals(second.value) ? "it is the same" : merge.reason(second.origin);
    List<Loser> all = new ArrayList<>(losers);
    all.add(new Loser(other.value, other.origin, other.policy, reason));
    return new EffectiveValue(key, winner.value, winner.origin, winner.policy, List.copyOf(all));
  }

  /** For JSON. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("key", key.wireName());
    map.put("value", value);
    map.put("origin", origin.inWords());
    map.put("policy", policy);
    map.put("effect", key.hasEffect());
    map.put("losers", losers.stream().map(Loser::toMap).toList());
    return map;
  }
}
