package io.mayflymq.core.proof;

import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A policy for one queue that adds to what applies to it, and the command that sets it.
 *
 * @param policy the policy
 * @param command the same for a shell
 */
record PolicyChange(Policy policy, String command) {
  /**
   * Makes one, which is named by the queue and the keys.
   *
   * @param effective what counts for the queue without it
   * @throws io.mayflymq.core.policy.PolicyException if the name of the queue is too long
   */
  static PolicyChange of(
      QueueFacts facts, EffectiveSettings effective, Map<PolicyKey, Object> keys) {
    String queue = facts.definition().name();
    String name =
        Stream.concat(Stream.of(queue), keys.keySet().stream().map(PolicyKey::wireName).sorted())
            .collect(Collectors.joining("-"));
    String pattern = "^" + queue.replaceAll("[\\\\\\[\\]{}()*+?.^$|]", "\\\\$0") + "$";
    String applyTo = facts.subject().isQuorumQueue() ? "quorum_queues" : "classic_queues";
    int priority =
        effective
            .policy()
            .map(above -> Math.min(above.priority(), Integer.MAX_VALUE - 1) + 1)
            .orElse(0);
    Map<String, Object> definition = new LinkedHashMap<>();
    keys.forEach((key, value) -> definition.put(key.wireName(), value));
    Policy policy =
        Policy.of(PolicyKind.POLICY, name, pattern, applyTo, priority, definition).merging(true);
    String command =
        "mayflyctl set_policy %s%s %s %s --apply-to %s --priority %d --merge"
            .formatted(
                facts.vhost().equals("/") ? "" : "--vhost " + quoted(facts.vhost()) + " ",
                quoted(name),
                quoted(pattern),
                quoted(json(definition)),
                applyTo,
                priority);
    return new PolicyChange(policy, command);
  }

  /** The values are numbers, truth values and words without special characters. */
  private static String json(Map<String, Object> definition) {
    return definition.entrySet().stream()
        .map(
            entry ->
                "\"%s\":%s"
                    .formatted(
                        entry.getKey(),
                        entry.getValue() instanceof String text
                            ? '"' + text + '"'
                            : entry.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  /** Returns a text as a word of a shell. */
  static String quoted(String text) {
    return text.matches("[A-Za-z0-9_./:@-]+") && !text.startsWith("-")
        ? text
        : "'" + text.replace("'", "'\\''") + "'";
  }
}
