package io.mayflymq.server.config;

import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * Traces of messages.
 *
 * @param endpoint where spans are sent by OTLP over HTTP; empty if messages are not traced
 * @param headers what requests carry besides, such as {@code authorization}
 * @param sampleRatio which part of the traces that publishers have sampled, 0 to 1
 * @param serviceName the name of the broker in the traces
 */
public record TracingSettings(
    Optional<URI> endpoint, Map<String, String> headers, double sampleRatio, String serviceName) {
  /** Copies the headers. */
  public TracingSettings {
    headers = Map.copyOf(headers);
  }
}
