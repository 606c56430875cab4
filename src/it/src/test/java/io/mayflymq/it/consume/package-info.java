/** Consumers and {@code basic.get}: delivery, acknowledgement, timeouts, and retries. */
package io.mayflymq.it.consume;
