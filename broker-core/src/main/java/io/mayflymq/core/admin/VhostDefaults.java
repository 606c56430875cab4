package io.mayflymq.core.admin;

import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.security.Limits;
import java.util.List;

/**
 * What new virtual hosts get.
 *
 * @param policies of which a virtual host gets all that are for it
 * @param limits of which a virtual host gets the first that are for it
 * @param users of which a virtual host gets all that are for it
 */
public record VhostDefaults(
    List<DefaultPolicy> policies, List<DefaultLimits> limits, List<DefaultUser> users) {
  /** Nothing. */
  public static final VhostDefaults NONE = new VhostDefaults(List.of(), List.of(), List.of());

  /** Copies the lists. */
  public VhostDefaults {
    policies = List.copyOf(policies);
    limits = List.copyOf(limits);
    users = List.copyOf(users);
  }

  /** Returns the policies for a virtual host. */
  List<Policy> policiesFor(String vhost) {
    return policies.stream()
        .filter(byDefault -> byDefault.vhosts().matches(vhost))
        .map(DefaultPolicy::policy)
        .toList();
  }

  /** Returns the users for a virtual host. */
  List<DefaultUser> usersFor(String vhost) {
    return users.stream().filter(byDefault -> byDefault.vhosts().matches(vhost)).toList();
  }

  /** Returns the limits for a virtual host. */
  Limits limitsFor(String vhost) {
    return limits.stream()
        .filter(byDefault -> byDefault.vhosts().matches(vhost))
        .map(DefaultLimits::limits)
        .findFirst()
        .orElse(Limits.NONE);
  }
}
