/** Where values are written, and the values that follow. */
package io.mayflymq.server.config.source;
