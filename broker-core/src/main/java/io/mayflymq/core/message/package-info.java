/** A message as the broker holds it, and the history of its deaths. */
package io.mayflymq.core.message;
