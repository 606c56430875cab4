package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.fraction;
import static io.mayflymq.server.config.ValueTypes.httpUrl;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;

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
  static final Section SECTION = new Section("Tracing");

  private static final Setting<Optional<URI>> ENDPOINT =
      SECTION.add(
          Setting.of(
              "tracing.otlp.endpoint",
              orWord("none", httpUrl()),
              "none",
              "Where spans of messages are sent by OTLP over HTTP."));
  private static final KeyFamily<String> HEADERS =
      SECTION.add(
          new KeyFamily<>(
              "tracing.otlp.headers.",
              "$name",
              secretText(),
              Map.of(),
              "A header of these requests, such as `authorization`."));
  private static final Setting<Double> SAMPLE_RATIO =
      SECTION.add(
          Setting.of(
              "tracing.sample_ratio",
              fraction(1),
              "1",
              "Which part of the traces that publishers have sampled is traced here too."));
  private static final Setting<String> SERVICE_NAME =
      SECTION.add(
          Setting.of(
              "tracing.service_name", text(), "mayflymq", "The name of the broker in the traces."));

  /** Returns the settings. */
  static TracingSettings of(SettingValues values) {
    return new TracingSettings(
        values.get(ENDPOINT),
        values.members(HEADERS),
        values.get(SAMPLE_RATIO),
        values.get(SERVICE_NAME));
  }

  /** Copies the headers. */
  public TracingSettings {
    headers = Map.copyOf(headers);
  }
}
