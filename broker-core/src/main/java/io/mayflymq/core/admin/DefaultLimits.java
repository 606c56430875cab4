package io.mayflymq.core.admin;

import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.NamePattern;

/**
 * The limits that new virtual hosts get.
 *
 * @param vhosts the pattern that is searched in the names of virtual hosts
 * @param limits the limits that those virtual hosts get
 */
public record DefaultLimits(NamePattern vhosts, Limits limits) {}
