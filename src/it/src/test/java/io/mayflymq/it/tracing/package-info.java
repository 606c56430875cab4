/** Traces of messages, sent by OTLP. */
package io.mayflymq.it.tracing;
