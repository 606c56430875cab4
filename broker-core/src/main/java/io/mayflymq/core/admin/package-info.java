/**
 * What administrators change while the broker runs: virtual hosts, users, permissions, limits and
 * global parameters. {@link io.mayflymq.core.admin.Administration} is the way in, for the HTTP API,
 * the command line and imported definitions alike.
 */
package io.mayflymq.core.admin;
