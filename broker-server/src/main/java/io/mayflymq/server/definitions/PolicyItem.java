package io.mayflymq.server.definitions;

import io.mayflymq.core.policy.PolicyKind;
import java.util.Map;

/**
 * A policy, or an operator policy, in a document of definitions.
 *
 * @param operator whether it is an operator policy; documents list these among the parameters
 * @param vhost its virtual host; empty if it is for many
 * @param vhosts a regular expression for the names of the virtual hosts that it is for; null if it
 *     belongs to one
 * @param copyOf the name of the policy for many virtual hosts that it repeats for a RabbitMQ; null
 *     if it is one of its own
 * @param pattern a regular expression for names
 * @param applyTo {@code queues}, {@code exchanges}, {@code all} ...
 * @param merges whether it adds its keys to those of policies with lower priority
 * @param definition an object with the keys and values that the policy sets
 */
record PolicyItem(
    boolean operator,
    String vhost,
    String vhosts,
    String copyOf,
    String name,
    String pattern,
    String applyTo,
    int priority,
    boolean merges,
    Map<String, Object> definition) {

  /** Returns whether it is for many virtual hosts. */
  boolean isForVhosts() {
    return vhosts != null;
  }

  PolicyKind kind() {
    return operator ? PolicyKind.OPERATOR_POLICY : PolicyKind.POLICY;
  }

  /** Returns its name in error messages. */
  String label() {
    String kind = operator ? "operator policy" : "policy";
    return vhosts == null
        ? "%s '%s' in vhost '%s'".formatted(kind, name, vhost)
        : "%s '%s' for virtual hosts '%s'".formatted(kind, name, vhosts);
  }
}
