package io.mayflymq.core.policy;

import java.util.List;

/**
 * The policies that apply to one object, of each kind those whose keys count, in order of
 * precedence: each but the last {@linkplain Policy#merges adds} to the next.
 */
record AppliedPolicies(List<Policy> policies, List<Policy> operatorPolicies) {
  /** For an object that no policy applies to. */
  public static final AppliedPolicies NONE = new AppliedPolicies(List.of(), List.of());
}
