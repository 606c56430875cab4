/**
 * Streams as pure state machines: consumers that read a log, each at its own position, without
 * removing messages. The log is stored by {@link io.mayflymq.core.store.StreamStore}.
 */
package io.mayflymq.core.stream;
