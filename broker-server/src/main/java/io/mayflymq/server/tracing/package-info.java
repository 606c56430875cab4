/** Traces of messages: spans by OpenTelemetry's SDK, sent by OTLP. */
package io.mayflymq.server.tracing;
