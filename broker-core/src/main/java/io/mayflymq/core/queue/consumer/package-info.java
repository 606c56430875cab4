/** The consumers of a queue and the order in which they get messages. */
package io.mayflymq.core.queue.consumer;
