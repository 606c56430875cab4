/**
 * Administrative changes of a running broker: virtual hosts, users, permissions, limits and global
 * parameters. {@link io.mayflymq.core.admin.Administration} is the entry point, for the HTTP API,
 * the command line and imported definitions.
 */
package io.mayflymq.core.admin;
