package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.hostName;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
  static final TlsKeys TLS = TlsKeys.of("management.ssl", "management.ssl.port");
  private static final Setting<Integer> STATISTICS_INTERVAL =
      Setting.of(
          "collect_statistics_interval",
          wholeNumber("milliseconds", 100, 3_600_000),
          "5000",
          "Time between two samples of the statistics, from which rates are made.");

  private static final Setting<Integer> MAX_CONNECTIONS =
      Setting.of(
          "management.tcp.max_connections",
          wholeNumber("connections", 1, 65_535),
          "1000",
          "Open connections to it; at the limit a new one displaces one that waits for its"
              + " client.");
  private static final Setting<Integer> MAX_KEEPALIVE =
      Setting.of(
          "management.tcp.max_keepalive",
          wholeNumber("requests", 1, 1_000_000),
          "1000",
          "Requests on a connection, after which it is closed.");
  private static final Setting<Integer> REQUEST_TIMEOUT =
      Setting.of(
          "management.tcp.request_timeout",
          milliseconds(),
          "10000",
          "Time for the headers of a request, in milliseconds.");
  private static final Setting<Integer> IDLE_TIMEOUT =
      Setting.of(
          "management.tcp.idle_timeout",
          milliseconds(),
          "60000",
          "Time that a connection may wait for its next request, in milliseconds.");
  private static final Setting<Integer> INACTIVITY_TIMEOUT =
      Setting.of(
          "management.tcp.inactivity_timeout",
          milliseconds(),
          "60000",
          "Time that a client may take nothing of an answer, in milliseconds.");
  private static final Setting<Integer> MAX_BODY_SIZE =
      Setting.of(
          "management.http.max_body_size",
          bytes(1024, 1 << 30),
          "67108864",
          "Largest body of a request, in bytes; only definitions and messages may be so large.");

  private static final Setting<Optional<String>> PATH_PREFIX =
      Setting.of(
          "management.path_prefix",
          orWord("none", text()),
          "none",
          "What all paths of the API and the page begin with, such as /mayfly, for a reverse proxy.");

  static final KeyFamily<String> ALLOWED_HOSTS =
      new KeyFamily<>(
          "management.allowed_hosts.",
          "$n",
          hostName(),
          Map.of(),
          "A name of this machine by which loopback_users may reach the API, beside localhost.");

  private ManagementKeys() {}

  private static ValueType<Integer> milliseconds() {
    return wholeNumber("milliseconds", 100, 3_600_000);
  }

  /** Returns all these keys. */
  static List<Key<?>> keys() {
    List<Key<?>> keys = new ArrayList<>(List.of(IP, PORT, TLS_IP, TLS_PORT));
    keys.addAll(TLS.keys());
    keys.addAll(
        List.of(
            MAX_CONNECTIONS,
            MAX_KEEPALIVE,
            REQUEST_TIMEOUT,
            IDLE_TIMEOUT,
            INACTIVITY_TIMEOUT,
            MAX_BODY_SIZE,
            PATH_PREFIX,
            ALLOWED_HOSTS,
            STATISTICS_INTERVAL));
    return keys;
  }

  /**
   * Returns the settings. As in RabbitMQ, a configuration that has TLS listeners and does not
   * mention TCP gets TLS only.
   */
  static ManagementSettings settings(SettingValues values) {
    Optional<Integer> tlsPort = values.get(TLS_PORT);
    boolean plain = tlsPort.isEmpty() || values.sets(PORT) || values.sets(IP);
    return new ManagementSettings(
        values.get(IP),
        plain ? values.get(PORT) : Optional.empty(),
        values.get(TLS_IP),
        tlsPort,
        TLS.settings(values),
        values.get(STATISTICS_INTERVAL),
        values.get(MAX_CONNECTIONS),
        values.get(MAX_KEEPALIVE),
        values.get(REQUEST_TIMEOUT),
        values.get(IDLE_TIMEOUT),
        values.get(INACTIVITY_TIMEOUT),
        values.get(MAX_BODY_SIZE),
        values
            .get(PATH_PREFIX)
            .map(path -> path.replaceAll("^/+|/+$", ""))
            .filter(path -> !path.isEmpty())
            .map(path -> "/" + path)
            .orElse(""),
        Set.copyOf(values.members(ALLOWED_HOSTS).values()));
  }
}
