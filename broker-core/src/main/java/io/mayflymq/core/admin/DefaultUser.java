package io.mayflymq.core.admin;

import io.mayflymq.core.security.NamePattern;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.User;

/**
 * A user that new virtual hosts get.
 *
 * @param vhosts the pattern that is searched in the names of virtual hosts
 * @param user as it is created if there is none of this name
 * @param permissions what it may do in each of those virtual hosts
 */
public record DefaultUser(NamePattern vhosts, User user, Permissions permissions) {}
