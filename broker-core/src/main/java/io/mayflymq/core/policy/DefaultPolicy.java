package io.mayflymq.core.policy;

import io.mayflymq.core.security.NamePattern;

/**
 * A policy that new virtual hosts are given.
 *
 * @param vhosts in the names of which virtual hosts this is found
 * @param policy what they get
 */
public record DefaultPolicy(NamePattern vhosts, Policy policy) {}
