/**
 * A queue as a pure state machine: its messages, its consumers, its lease, and the messages that
 * wait for their time. Time comes in with each command; what is to be done goes out through {@link
 * io.mayflymq.core.queue.QueueEffects} and {@link io.mayflymq.core.queue.ConsumerTarget}. Start at
 * {@link io.mayflymq.core.queue.ClassicQueueMachine}.
 */
package io.mayflymq.core.queue;
