package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.PoliciesForVhosts;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Exports and imports the policies of all virtual hosts. */
final class PolicyDefinitions {
  /** Follows the name of a copy whose name is taken. */
  private static final String COPY = " (for vhosts)";

  private final Broker broker;
  private final PoliciesForVhosts many;

  PolicyDefinitions(Broker broker, PoliciesForVhosts many) {
    this.broker = broker;
    this.many = many;
  }

  /**
   * Returns all current policies and operator policies of virtual hosts, with a copy of each policy
   * for many virtual hosts in each of those: brokers that do not know these have the copies.
   */
  List<PolicyItem> export() {
    List<PolicyItem> definitions = new ArrayList<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      PolicyTable table = vhost.policies().table();
      for (PolicyKind kind : PolicyKind.values()) {
        Set<String> names = new HashSet<>();
        for (Policy policy : table.policies(kind)) {
          names.add(policy.name());
          definitions.add(item(vhost.name(), policy.name(), null, policy.ofOneVhost()));
        }
        for (Policy policy : table.policiesForVhosts(kind)) {
          String name = policy.name();
          while (!names.add(name)) {
            name += COPY;
          }
          definitions.add(item(vhost.name(), name, policy.name(), policy.ofOneVhost()));
        }
      }
    }
    definitions.sort(Comparator.comparing(PolicyItem::vhost).thenComparing(PolicyItem::name));
    return definitions;
  }

  /** Returns all current policies and operator policies for many virtual hosts. */
  List<PolicyItem> exportForVhosts() {
    return many.list().stream().map(policy -> item("", policy.name(), null, policy)).toList();
  }

  private static PolicyItem item(String vhost, String name, String copyOf, Policy policy) {
    return new PolicyItem(
        policy.kind() == PolicyKind.OPERATOR_POLICY,
        vhost,
        policy.vhosts(),
        copyOf,
        name,
        policy.pattern(),
        policy.applyTo().wireName(),
        policy.priority(),
        policy.merges(),
        policy.definition().toMap());
  }

  /** Returns whether it is a copy of a policy for many virtual hosts that is here, too. */
  boolean isRepeated(PolicyItem definition) {
    Policy original =
        definition.copyOf() == null ? null : many.get(definition.kind(), definition.copyOf());
    return original != null && original.isForVhost(definition.vhost());
  }

  /** Sets a policy that {@link DefinitionsCheck} accepted. Completes when the change is safe. */
  CompletableFuture<?> set(PolicyItem definition) {
    if (definition.isForVhosts()) {
      return many.set(policy(definition));
    }
    return broker.virtualHost(definition.vhost()).policies().set(policy(definition));
  }

  /**
   * Returns the policy of a document.
   *
   * @throws PolicyException if it is invalid
   */
  static Policy policy(PolicyItem definition) {
    Policy policy =
        Policy.of(
                definition.kind(),
                definition.name(),
                definition.pattern(),
                definition.applyTo(),
                definition.priority(),
                definition.definition())
            .merging(definition.merges());
    return definition.isForVhosts() ? policy.forVhosts(definition.vhosts()) : policy;
  }
}
