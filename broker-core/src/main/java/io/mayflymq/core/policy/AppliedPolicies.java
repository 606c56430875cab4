package io.mayflymq.core.policy;

/**
 * The policies that apply to one object, one of each kind at most.
 *
 * @param policy null for none
 * @param operatorPolicy null for none
 */
record AppliedPolicies(Policy policy, Policy operatorPolicy) {
  /** For an object that no policy applies to. */
  public static final AppliedPolicies NONE = new AppliedPolicies(null, null);
}
