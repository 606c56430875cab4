package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The keys {@code management.*}, and what is sampled for it. */
final class ManagementKeys {
  private static final Setting<String> IP =
      Setting.of(
          "management.tcp.ip", text(), "0.0.0.0", "Address where the management HTTP API listens.");
  private static final Setting<Optional<Integer>> PORT =
      Setting.of(
          "management.tcp.port",
          orWord("none", wholeNumber("", 0, 65_535)),
          "15672",
          "Port where it listens; port 0 lets the system choose, none listens nowhere.");
  private static final Setting<String> TLS_IP =
      Setting.of("management.ssl.ip", text(), "0.0.0.0", "The same for clients that speak TLS.");
  private static final Setting<Optional<Integer>> TLS_PORT =
      Setting.of(
          "management.ssl.port",
          orWord("none", wholeNumber("", 0, 65_535)),
          "none",
          "Their usual port is 15671; with it, management.tcp.* must be set to listen there too.");
  private static final TlsKeys TLS = TlsKeys.of("management.ssl", "management.ssl.port");
  private static final Setting<Integer> STATISTICS_INTERVAL =
      Setting.of(
          "collect_statistics_interval",
          wholeNumber("milliseconds", 100, 3_600_000),
          "5000",
          "Time between two samples of the statistics, from which rates are made.");

  private ManagementKeys() {}

  /** All these keys. */
  static List<Key<?>> keys() {
    List<Key<?>> keys = new ArrayList<>(List.of(IP, PORT, TLS_IP, TLS_PORT));
    keys.addAll(TLS.keys());
    keys.add(STATISTICS_INTERVAL);
    return keys;
  }

  /** As in RabbitMQ, who asks for TLS and says nothing of TCP gets TLS only. */
  static ManagementSettings settings(Configuration configuration) {
    Optional<Integer> tlsPort = configuration.get(TLS_PORT);
    boolean plain = tlsPort.isEmpty() || configuration.sets(PORT) || configuration.sets(IP);
    return new ManagementSettings(
        configuration.get(IP),
        plain ? configuration.get(PORT) : Optional.empty(),
        configuration.get(TLS_IP),
        tlsPort,
        TLS.settings(configuration),
        configuration.get(STATISTICS_INTERVAL));
  }
}
