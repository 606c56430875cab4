package io.mayflymq.core.policy;

import io.mayflymq.core.security.NamePattern;

/**
 * A policy that new virtual hosts get.
 *
 * @param vhosts the pattern that is searched in the names of virtual hosts
 * @param policy the policy that those virtual hosts get
 */
public record DefaultPolicy(NamePattern vhosts, Policy policy) {}
