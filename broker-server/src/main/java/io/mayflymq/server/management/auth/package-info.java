/** Authentication for the HTTP API. */
package io.mayflymq.server.management.auth;
