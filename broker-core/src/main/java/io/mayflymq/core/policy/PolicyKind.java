package io.mayflymq.core.policy;

/**
 * Whether users or operators set a policy. At most one of each kind applies to an object; their
 * values are merged.
 */
public enum PolicyKind {
  /** A user's policy. */
  POLICY("policy"),
  /**
   * An operator policy, which bounds what users set by policies and arguments.
   *
   * <p>Source: RabbitMQ, "Parameters and Policies", section "Operator Policies".
   */
  OPERATOR_POLICY("operator_policy");

  private final String component;

  PolicyKind(String component) {
    this.component = component;
  }

  /** The name of RabbitMQ's parameter component, which definition files use. */
  public String component() {
    return component;
  }

  /** In words: {@code operator policies}. */
  String plural() {
    return this == POLICY ? "policies" : "operator policies";
  }

  /** In words: {@code operator policy}. */
  public String inWords() {
    return component.replace('_', ' ');
  }
}
