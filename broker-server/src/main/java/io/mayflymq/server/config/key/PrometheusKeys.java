package io.mayflymq.server.config.key;

import static io.mayflymq.server.config.type.ValueTypes.bool;
import static io.mayflymq.server.config.type.ValueTypes.orWord;
import static io.mayflymq.server.config.type.ValueTypes.text;
import static io.mayflymq.server.config.type.ValueTypes.wholeNumber;

import io.mayflymq.server.config.settings.PrometheusSettings;
import io.mayflymq.server.config.source.SettingValues;
import io.mayflymq.server.config.type.Key;
import io.mayflymq.server.config.type.Setting;
import java.util.List;
import java.util.Optional;

/** The keys {@code prometheus.*}. */
final class PrometheusKeys {
  private static final Setting<String> IP =
      Setting.of(
          "prometheus.tcp.ip",
          text(),
          "0.0.0.0",
          "Address where the metrics for Prometheus are served, without a login.");
  private static final Setting<Optional<Integer>> PORT =
      Setting.of(
          "prometheus.tcp.port",
          orWord("none", wholeNumber("", 0, 65_535)),
          "15692",
          "Port where they are served; port 0 lets the system choose, none serves them nowhere.");
  private static final Setting<String> PATH =
      Setting.of("prometheus.path", text(), "/metrics", "Path of the metrics.");
  private static final Setting<Boolean> PER_OBJECT =
      Setting.of(
          "prometheus.return_per_object_metrics",
          bool(),
          "false",
          "Whether this path has the metrics of each object, rather than their sums.");

  private PrometheusKeys() {}

  /** Returns all these keys. */
  static List<Key<?>> keys() {
    return List.of(IP, PORT, PATH, PER_OBJECT);
  }

  /** Returns the settings. */
  static PrometheusSettings settings(SettingValues values) {
    return new PrometheusSettings(
        values.get(IP),
        values.get(PORT),
        "/" + values.get(PATH).replaceAll("^/+|/+$", ""),
        values.get(PER_OBJECT));
  }
}
