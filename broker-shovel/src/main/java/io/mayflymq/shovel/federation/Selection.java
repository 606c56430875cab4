package io.mayflymq.shovel.federation;

/**
 * Which upstreams an exchange or a queue has, as a policy says: one of the three.
 *
 * @param policy the name of the policy
 * @param upstream the name of an upstream, or null
 * @param set the name of a set, or null
 * @param pattern a regular expression for names of upstreams, or null
 */
public record Selection(String policy, String upstream, String set, String pattern) {
  /** Of what no policy federates. */
  public static final Selection NONE = new Selection(null, null, null, null);
}
