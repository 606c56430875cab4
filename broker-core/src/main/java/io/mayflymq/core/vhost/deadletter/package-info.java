/**
 * Dead letters on their way from the queue that they died in to the queues behind its dead letter
 * exchange, and on their way back: redrives.
 */
package io.mayflymq.core.vhost.deadletter;
