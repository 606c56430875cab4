/** Every key, and how the settings follow from their values. */
package io.mayflymq.server.config.key;
