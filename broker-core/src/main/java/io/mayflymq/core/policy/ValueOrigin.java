package io.mayflymq.core.policy;

/** Where a value may come from. */
public enum ValueOrigin {
  /** A policy. */
  POLICY("policy"),
  /** An operator policy. */
  OPERATOR_POLICY("operator policy"),
  /** An argument of the declaration. */
  ARGUMENT("argument"),
  /** The broker's configuration. */
  DEFAULT("default");

  private final String words;

  ValueOrigin(String words) {
    this.words = words;
  }

  /** In words. */
  public String inWords() {
    return words;
  }

  static ValueOrigin of(PolicyKind kind) {
    return kind == PolicyKind.POLICY ? POLICY : OPERATOR_POLICY;
  }
}
