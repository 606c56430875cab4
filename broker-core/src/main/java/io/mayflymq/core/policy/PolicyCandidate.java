package io.mayflymq.core.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A policy of the virtual host, and why it does or does not apply to an object.
 *
 * @param policy the policy
 * @param verdict whether it applies, or why it does not
 * @param reason the same in words; empty if it applies
 */
public record PolicyCandidate(Policy policy, Verdict verdict, String reason) {
  /** The possible verdicts about a candidate, in the order in which they are checked. */
  public enum Verdict {
    /** It applies. */
    APPLIES("applies"),
    /** It applies as far as those before it, which add to it, have other keys. */
    ADDED_TO("added-to"),
    /** It is for other kinds of object. */
    APPLY_TO("apply-to"),
    /** It has a key that this type of queue does not support. */
    UNSUPPORTED_KEY("unsupported-key"),
    /** Its pattern is not found in the name. */
    PATTERN("pattern"),
    /** Another matching policy has precedence. */
    PRIORITY("priority");

    private final String wireName;

    Verdict(String wireName) {
      this.wireName = wireName;
    }

    /** The name in JSON. */
    public String wireName() {
      return wireName;
    }
  }

  /**
   * Determines the verdict for a policy.
   *
   * @param layers those that apply to the object, in order of precedence
   */
  static PolicyCandidate of(Policy policy, PolicySubject subject, List<Policy> layers) {
    int layer = layers.indexOf(policy);
    if (layer == 0) {
      return new PolicyCandidate(policy, Verdict.APPLIES, "");
    } else if (layer > 0) {
      return new PolicyCandidate(
          policy,
          Verdict.ADDED_TO,
          "as far as %s do%s not have the same keys"
              .formatted(
                  layers.subList(0, layer).stream()
                      .map(each -> "'" + each.name() + "'")
                      .collect(Collectors.joining(" and ")),
                  layer == 1 ? "es" : ""));
    }
    if (!policy.applyTo().covers(subject)) {
      return new PolicyCandidate(
          policy,
          Verdict.APPLY_TO,
          "apply-to '%s' does not cover %ss"
              .formatted(policy.applyTo().wireName(), subject.kind()));
    }
    List<String> unsupported =
        policy.unsupportedKeys(subject).stream().map(PolicyKey::wireName).toList();
    if (!unsupported.isEmpty()) {
      return new PolicyCandidate(
          policy,
          Verdict.UNSUPPORTED_KEY,
          "the policy does not apply to %ss as they do not support %s"
              .formatted(subject.kind(), String.join(", ", unsupported)));
    }
    if (policy.problem() != null) {
      return new PolicyCandidate(
          policy,
          Verdict.PATTERN,
          "pattern '%s' is looked for in no name: %s"
              .formatted(policy.pattern(), policy.problem()));
    }
    if (!policy.isFoundIn(subject.name())) {
      return new PolicyCandidate(
          policy,
          Verdict.PATTERN,
          "pattern '%s' is not found in the name".formatted(policy.pattern()));
    }
    Policy applied = layers.get(layers.size() - 1);
    return new PolicyCandidate(
        policy,
        Verdict.PRIORITY,
        policy.priority() != applied.priority()
            ? "'%s' has the higher priority %d".formatted(applied.name(), applied.priority())
            : "'%s' has the same priority and %s"
                .formatted(
                    applied.name(),
                    policy.isForVhosts() && !applied.isForVhosts()
                        ? "is the virtual host's own"
                        : "comes first by name"));
  }

  /** Returns why one policy that matches has precedence over another, in words. */
  static String precedence(Policy first, Policy other) {
    return first.priority() == other.priority()
        ? "same priority %d, %s"
            .formatted(
                first.priority(),
                other.isForVhosts() && !first.isForVhosts()
                    ? "the virtual host's own"
                    : "first by name")
        : "higher priority %d".formatted(first.priority());
  }

  /** Returns whether the policy matches the object, whichever of those that match applies. */
  boolean matches() {
    return verdict == Verdict.APPLIES || verdict == Verdict.ADDED_TO || verdict == Verdict.PRIORITY;
  }

  /** For JSON. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("kind", policy.kind().component());
    map.put("name", policy.name());
    map.put("pattern", policy.pattern());
    map.put("apply-to", policy.applyTo().wireName());
    map.put("priority", policy.priority());
    if (policy.isForVhosts()) {
      map.put("vhosts", policy.vhosts());
    }
    map.put("verdict", verdict.wireName());
    map.put("reason", reason);
    return map;
  }
}
