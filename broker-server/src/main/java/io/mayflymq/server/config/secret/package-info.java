/** Encrypted values of the configuration. */
package io.mayflymq.server.config.secret;
