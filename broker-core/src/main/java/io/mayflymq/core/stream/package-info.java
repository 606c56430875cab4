/**
 * Streams as pure state machines: consumers that read a log, each at a place of its own, without
 * taking from it. Where the log is kept is behind {@link io.mayflymq.core.store.StreamStore}.
 */
package io.mayflymq.core.stream;
