/**
 * Shovels: each takes messages from a queue or an exchange of one broker and publishes them to
 * another one, or to the same.
 */
package io.mayflymq.shovel;
