/**
 * The resources of the HTTP API about users, permissions, policies, parameters, limits and
 * definitions.
 */
package io.mayflymq.server.management.admin;
