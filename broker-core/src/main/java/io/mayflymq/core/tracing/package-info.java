/**
 * What traces of messages are made from: the interfaces that the broker tells what happens to a
 * message. Without a tracer nothing is told.
 */
package io.mayflymq.core.tracing;
