/** A message as the broker keeps it, and the history of its deaths. */
package io.mayflymq.core.message;
