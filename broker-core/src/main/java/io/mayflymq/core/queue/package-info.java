/**
 * A queue as a pure state machine: its packed index of messages, and its consumers. Time comes in
 * with each command; what is to be done goes out through {@link
 * io.mayflymq.core.queue.QueueEffects} and {@link io.mayflymq.core.queue.consumer.ConsumerTarget}.
 */
package io.mayflymq.core.queue;
