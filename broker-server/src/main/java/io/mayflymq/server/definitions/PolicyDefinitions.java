package io.mayflymq.server.definitions;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Exports and imports the policies of all virtual hosts. */
final class PolicyDefinitions {
  private final Broker broker;

  PolicyDefinitions(Broker broker) {
    this.broker = broker;
  }

  /** Returns all current policies and operator policies. */
  List<PolicyItem> export() {
    List<PolicyItem> definitions = new ArrayList<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      for (PolicyKind kind : PolicyKind.values()) {
        for (Policy policy : vhost.policies().table().policies(kind)) {
          definitions.add(
              new PolicyItem(
                  kind == PolicyKind.OPERATOR_POLICY,
                  vhost.name(),
                  policy.name(),
                  policy.pattern(),
                  policy.applyTo().wireName(),
                  policy.priority(),
                  policy.merges(),
                  policy.definition().toMap()));
        }
      }
    }
    definitions.sort(Comparator.comparing(PolicyItem::vhost).thenComparing(PolicyItem::name));
    return definitions;
  }

  /**
   * Parses and checks a policy without setting it.
   *
   * @throws PolicyException if it is invalid
   */
  Policy check(PolicyItem definition) {
    return policy(definition);
  }

  /** Sets a policy that {@link #check} accepted. Completes when the change is safe. */
  CompletableFuture<Void> set(PolicyItem definition) {
    return broker.virtualHost(definition.vhost()).policies().set(policy(definition));
  }

  /**
   * Returns the policy of a document.
   *
   * @throws PolicyException if it is invalid
   */
  static Policy policy(PolicyItem definition) {
    return Policy.of(
            definition.operator() ? PolicyKind.OPERATOR_POLICY : PolicyKind.POLICY,
            definition.name(),
            definition.pattern(),
            definition.applyTo(),
            definition.priority(),
            definition.definition())
        .merging(definition.merges());
  }
}
