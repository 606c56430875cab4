package io.mayflymq.server.definitions;

import java.util.Map;

/**
 * A policy, or an operator policy, in a document of definitions.
 *
 * @param operator whether it is an operator policy; documents list these among the parameters
 * @param pattern a regular expression for names
 * @param applyTo {@code queues}, {@code exchanges}, {@code all} ...
 * @param merges whether it adds its keys to those of policies with lower priority
 * @param definition an object with the keys and values that the policy sets
 */
record PolicyItem(
    boolean operator,
    String vhost,
    String name,
    String pattern,
    String applyTo,
    int priority,
    boolean merges,
    Map<String, Object> definition) {

  /** Returns its name in error messages. */
  String label() {
    return "%s '%s' in vhost '%s'".formatted(operator ? "operator policy" : "policy", name, vhost);
  }
}
