package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The keys {@code prometheus.*}. */
final class PrometheusKeys {
  private static final Setting<String> IP =
      Setting.of(
          "prometheus.tcp.ip",
          text(),
          "0.0.0.0",
          "Address where the metrics for Prometheus are served.");
  private static final Setting<Optional<Integer>> PORT =
      Setting.of(
          "prometheus.tcp.port",
          orWord("none", wholeNumber("", 0, 65_535)),
          "15692",
          "Port where they are served; port 0 lets the system choose, none serves them nowhere.");
  private static final Setting<String> TLS_IP =
      Setting.of("prometheus.ssl.ip", text(), "0.0.0.0", "The same for clients that speak TLS.");
  private static final Setting<Optional<Integer>> TLS_PORT =
      Setting.of(
          "prometheus.ssl.port",
          orWord("none", wholeNumber("", 0, 65_535)),
          "none",
          "Their usual port is 15691; with it, prometheus.tcp.* must be set to serve there too.");
  static final TlsKeys TLS = TlsKeys.of("prometheus.ssl", "prometheus.ssl.port");
  private static final Setting<String> PATH =
      Setting.of("prometheus.path", text(), "/metrics", "Path of the metrics.");
  private static final Setting<Boolean> PER_OBJECT =
      Setting.of(
          "prometheus.return_per_object_metrics",
          bool(),
          "false",
          "Whether this path has the metrics of each object, rather than their sums.");
  private static final Setting<Boolean> WAITS =
      Setting.of(
          "prometheus.waiting_times.enabled",
          bool(),
          "false",
          "Whether it is measured how long messages wait in queues until they are delivered.");
  private static final Setting<Boolean> AUTHENTICATION =
      Setting.of(
          "prometheus.authentication.enabled",
          bool(),
          "false",
          "Whether the metrics are for users with the tag monitoring or administrator only.");

  private PrometheusKeys() {}

  /** Returns all these keys. */
  static List<Key<?>> keys() {
    List<Key<?>> keys = new ArrayList<>(List.of(IP, PORT, TLS_IP, TLS_PORT));
    keys.addAll(TLS.keys());
    keys.addAll(List.of(PATH, PER_OBJECT, WAITS, AUTHENTICATION));
    return keys;
  }

  /**
   * Returns the settings. As in RabbitMQ, a configuration that has TLS listeners and does not
   * mention TCP gets TLS only.
   */
  static PrometheusSettings settings(SettingValues values) {
    Optional<Integer> tlsPort = values.get(TLS_PORT);
    boolean plain = tlsPort.isEmpty() || values.sets(PORT) || values.sets(IP);
    return new PrometheusSettings(
        values.get(IP),
        plain ? values.get(PORT) : Optional.empty(),
        values.get(TLS_IP),
        tlsPort,
        TLS.settings(values),
        "/" + values.get(PATH).replaceAll("^/+|/+$", ""),
        values.get(PER_OBJECT),
        values.get(WAITS),
        values.get(AUTHENTICATION));
  }
}
