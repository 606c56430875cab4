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
 * @param vhosts the pattern of virtual hosts that this policy is for; null if there is none
 * @param losers the other values of this key
 */
public record EffectiveValue(
    PolicyKey key,
    Object value,
    ValueOrigin origin,
    String policy,
    String vhosts,
    List<Loser> losers) {
  /**
   * A value that is not effective.
   *
   * @param value the value
   * @param origin its origin
   * @param policy the name of the policy it came from, or null for an argument or a default
   * @param vhosts the pattern of virtual hosts that this policy is for; null if there is none
   * @param reason why it is not effective, in words
   * @param counts whether it is part of the effective value all the same
   */
  public record Loser(
      Object value,
      ValueOrigin origin,
      String policy,
      String vhosts,
      String reason,
      boolean counts) {
    private static Loser of(EffectiveValue other, String reason, boolean counts) {
      return new Loser(other.value, other.origin, other.policy, other.vhosts, reason, counts);
    }

    Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("value", value);
      map.put("origin", origin.inWords());
      map.put("policy", policy);
      if (vhosts != null) {
        map.put("vhosts", vhosts);
      }
      map.put("reason", reason);
      if (counts) {
        map.put("counts", true);
      }
      return map;
    }
  }

  static EffectiveValue of(PolicyKey key, Policy policy) {
    return new EffectiveValue(
        key,
        policy.definition().get(key),
        ValueOrigin.of(policy.kind()),
        policy.name(),
        policy.vhosts(),
        List.of());
  }

  static EffectiveValue ofArgument(PolicyKey key, Object value) {
    return new EffectiveValue(key, value, ValueOrigin.ARGUMENT, null, null, List.of());
  }

  static EffectiveValue ofDefault(PolicyKey key, Object value) {
    return new EffectiveValue(key, value, ValueOrigin.DEFAULT, null, null, List.of());
  }

  /** Returns this value with a default as a further value that is not effective. */
  EffectiveValue before(EffectiveValue byDefault) {
    return key.addsUp()
        ? mergedWith(byDefault, key.withOperatorPolicy())
        : beside(byDefault, "a default counts where nothing else is said");
  }

  /** Returns this value with that of a policy which this one's adds to. */
  EffectiveValue over(EffectiveValue lower) {
    return key.addsUp()
        ? mergedWith(lower, key.withOperatorPolicy())
        : beside(lower, "'%s' has precedence".formatted(policy));
  }

  private EffectiveValue beside(EffectiveValue other, String reason) {
    List<Loser> all = new ArrayList<>(losers);
    all.add(Loser.of(other, reason, false));
    return new EffectiveValue(key, value, origin, policy, vhosts, List.copyOf(all));
  }

  /** Merges this value with one that an operator policy or argument has for the same key. */
  EffectiveValue mergedWith(EffectiveValue second, Merge merge) {
    boolean secondCounts = merge.prefersSecond(value, second.value);
    EffectiveValue winner = secondCounts ? second : this;
    EffectiveValue other = secondCounts ? this : second;
    boolean isSame = value.equals(second.value);
    String reason = isSame ? "it is the same" : merge.reason(second.origin);
    List<Loser> all = new ArrayList<>(losers);
    all.add(Loser.of(other, reason, merge.isSum() && !isSame));
    return new EffectiveValue(
        key,
        merge.together(value, second.value),
        winner.origin,
        winner.policy,
        winner.vhosts,
        List.copyOf(all));
  }

  EffectiveValue withoutLosersOfPolicies() {
    return new EffectiveValue(
        key,
        value,
        origin,
        policy,
        vhosts,
        losers.stream().filter(loser -> loser.policy == null).toList());
  }

  /** For JSON. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("key", key.wireName());
    map.put("value", value);
    map.put("origin", origin.inWords());
    map.put("policy", policy);
    if (vhosts != null) {
      map.put("vhosts", vhosts);
    }
    map.put("effect", key.hasEffect());
    map.put("losers", losers.stream().map(Loser::toMap).toList());
    return map;
  }
}
