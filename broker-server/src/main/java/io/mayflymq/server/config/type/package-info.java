/** What a key is, and the types of its values. */
package io.mayflymq.server.config.type;
