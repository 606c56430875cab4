/** Who may use the HTTP API. */
package io.mayflymq.server.management.auth;
