package io.mayflymq.core.policy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;

/**
 * The rules of matching and merging for classic queues, as they are told: one key after another.
 */
final class NaivePolicies {
  private static final Set<String> NOT_FOR_CLASSIC =
      Set.of(
          "max-age",
          "stream-max-segment-size-bytes",
          "initial-cluster-size",
          "delivery-limit",
          "dead-letter-strategy",
          "max-in-memory-length",
          "max-in-memory-bytes",
          "target-group-size");

  /**
   * A policy, as it was set.
   *
   * @param vhosts which virtual hosts it is for; null if it belongs to one
   */
  record Given(
      PolicyKind kind,
      String name,
      String vhosts,
      String pattern,
      String applyTo,
      int priority,
      boolean merges,
      Map<String, Object> definition) {}

  private final List<Given> all = new ArrayList<>();

  void set(Given policy) {
    clear(policy.kind, policy.name, policy.vhosts != null);
    all.add(policy);
  }

  boolean clear(PolicyKind kind, String name, boolean forVhosts) {
    return all.removeIf(
        policy ->
            policy.kind == kind
                && policy.name.equals(name)
                && (policy.vhosts != null) == forVhosts);
  }

  /** Those of a virtual host, and those for many of which it is one. */
  static NaivePolicies of(NaivePolicies own, NaivePolicies many, String vhost) {
    NaivePolicies both = new NaivePolicies();
    both.all.addAll(own.all);
    many.all.stream()
        .filter(policy -> Pattern.compile(policy.vhosts).matcher(vhost).find())
        .forEach(both.all::add);
    return both;
  }

  /** The one that applies to a classic queue, or null. */
  Given applying(PolicyKind kind, String queue) {
    Given best = null;
    for (Given policy : all) {
      if (policy.kind == kind
          && Set.of("all", "queues", "classic_queues").contains(policy.applyTo)
          && policy.definition.keySet().stream().allMatch(key -> isForClassic(policy, key))
          && Pattern.compile(policy.pattern).matcher(queue).find()
          && (best == null || goesBefore(policy, best))) {
        best = policy;
      }
    }
    return best;
  }

  private static boolean isForClassic(Given policy, String key) {
    return !NOT_FOR_CLASSIC.contains(key)
        || (key.equals("delivery-limit") && policy.applyTo.equals("classic_queues"));
  }

  private static boolean goesBefore(Given policy, Given other) {
    if (policy.priority != other.priority) {
      return policy.priority > other.priority;
    }
    return (policy.vhosts == null) == (other.vhosts == null)
        ? policy.name.compareTo(other.name) < 0
        : policy.vhosts == null;
  }

  /** What counts for a classic queue with these arguments, which have the names of the keys. */
  Object value(String queue, Map<String, Object> arguments, String key) {
    Object users = definition(PolicyKind.POLICY, queue).get(key);
    Object operators = definition(PolicyKind.OPERATOR_POLICY, queue).get(key);
    boolean lowest =
        Set.of("message-ttl", "expires", "max-length", "max-length-bytes").contains(key);
    BinaryOperator<Object> rule =
        lowest
            ? (a, b) -> Math.min(((Number) a).longValue(), ((Number) b).longValue())
            : (a, b) -> b;
    return either(either(users, operators, rule), arguments.get(key), rule);
  }

  /** Those that apply and merge, and the first one that does not, the first one first. */
  List<Given> layers(PolicyKind kind, String queue) {
    NaivePolicies left = new NaivePolicies();
    left.all.addAll(all);
    List<Given> layers = new ArrayList<>();
    Given next = left.applying(kind, queue);
    while (next != null) {
      layers.add(next);
      left.clear(kind, next.name, next.vhosts != null);
      next = next.merges ? left.applying(kind, queue) : null;
    }
    return layers;
  }

  private Map<String, Object> definition(PolicyKind kind, String queue) {
    Map<String, Object> sum = new HashMap<>();
    layers(kind, queue).forEach(layer -> layer.definition.forEach(sum::putIfAbsent));
    return sum;
  }

  private static Object either(Object first, Object second, BinaryOperator<Object> rule) {
    return first == null ? second : second == null ? first : rule.apply(first, second);
  }
}
