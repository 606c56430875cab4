/**
 * Dead letters on their way from the queue that they died in to the queues behind its dead letter
 * exchange.
 */
package io.mayflymq.core.vhost.deadletter;
