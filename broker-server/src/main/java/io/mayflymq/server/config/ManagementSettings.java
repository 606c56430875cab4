package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.hostName;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The management HTTP API.
 *
 * @param host the address where it listens
 * @param port the port where it listens; empty if it does not, 0 lets the system choose
 * @param tlsHost the address where it listens for clients that speak TLS
 * @param tlsPort the port for them; empty if there is none, 0 lets the system choose
 * @param tls what that needs
 * @param statisticsIntervalMillis the time between two samples of the statistics
 * @param maxConnections that may be open at the same time
 * @param maxKeepalive requests on one connection
 * @param requestTimeoutMillis for the headers of a request
 * @param idleTimeoutMillis between two requests
 * @param inactivityTimeoutMillis for which a client may take nothing of an answer
 * @param maxBodySize of a request, in bytes
 * @param pathPrefix what all paths begin with; empty, or begins with a slash and does not end with
 *     one
 * @param allowedHosts names in {@code Host}, beside localhost and addresses, in requests of users
 *     who may connect from this machine only, and of the control listener
 * @param pageLogin how users of the page log in by a provider of tokens
 */
public record ManagementSettings(
    String host,
    Optional<Integer> port,
    String tlsHost,
    Optional<Integer> tlsPort,
    TlsSettings tls,
    int statisticsIntervalMillis,
    int maxConnections,
    int maxKeepalive,
    int requestTimeoutMillis,
    int idleTimeoutMillis,
    int inactivityTimeoutMillis,
    int maxBodySize,
    String pathPrefix,
    Set<String> allowedHosts,
    PageLoginSettings pageLogin) {
  static final Section SECTION = new Section("Management");

  private static final Setting<String> IP =
      SECTION.add(
          Setting.of(
              "management.tcp.ip",
              text(),
              "0.0.0.0",
              "Where [the HTTP API](http-api.md) listens."));
  private static final Setting<Optional<Integer>> PORT =
      SECTION.add(
          Setting.of(
              "management.tcp.port",
              orWord("none", wholeNumber("", 0, 65_535)),
              "15672",
              "The port; with 0 the operating system chooses a port, `none` means no"
                  + " listener. The address in the control file exists in any case."));
  private static final Setting<String> TLS_IP =
      SECTION.add(
          Setting.of(
              "management.ssl.ip",
              text(),
              "0.0.0.0",
              "Where it listens for clients with [TLS](tls.md#management)."));
  private static final Setting<Optional<Integer>> TLS_PORT =
      SECTION.add(
          Setting.of(
              "management.ssl.port",
              orWord("none", wholeNumber("", 0, 65_535)),
              "none",
              "The port for TLS, usually 15671. If it is set, and neither"
                  + " `management.tcp.port` nor `management.tcp.ip` is, the API listens there only."));
  static final TlsKeys TLS = TlsKeys.of(SECTION, "management.ssl", "management.ssl.port");
  private static final Setting<Integer> STATISTICS_INTERVAL =
      SECTION.add(
          Setting.of(
              "collect_statistics_interval",
              wholeNumber("milliseconds", 100, 3_600_000),
              "5000",
              "Milliseconds between two samples of the statistics, from which rates are"
                  + " computed."));

  private static final Setting<Integer> MAX_CONNECTIONS =
      SECTION.add(
          Setting.of(
              "management.tcp.max_connections",
              wholeNumber("connections", 1, 65_535),
              "1000",
              "Open connections, all listeners together. At the limit a new connection"
                  + " [displaces](http-api.md#limits) one that waits for its client."));
  private static final Setting<Integer> MAX_KEEPALIVE =
      SECTION.add(
          Setting.of(
              "management.tcp.max_keepalive",
              wholeNumber("requests", 1, 1_000_000),
              "1000",
              "The number of requests after which a connection is closed."));
  private static final Setting<Integer> REQUEST_TIMEOUT =
      SECTION.add(
          Setting.of(
              "management.tcp.request_timeout",
              milliseconds(),
              "10000",
              "Milliseconds for the headers of a request."));
  private static final Setting<Integer> IDLE_TIMEOUT =
      SECTION.add(
          Setting.of(
              "management.tcp.idle_timeout",
              milliseconds(),
              "60000",
              "Milliseconds that a connection may wait for its next request."));
  private static final Setting<Integer> INACTIVITY_TIMEOUT =
      SECTION.add(
          Setting.of(
              "management.tcp.inactivity_timeout",
              milliseconds(),
              "60000",
              "Milliseconds for which a client may read nothing of a response."));
  private static final Setting<Integer> MAX_BODY_SIZE =
      SECTION.add(
          Setting.of(
              "management.http.max_body_size",
              bytes(1024, 1 << 30),
              "67108864",
              "The largest request body, in bytes, and at most a sixteenth of the heap. Only"
                  + " definitions and messages may be this large."));

  private static final Setting<Optional<String>> PATH_PREFIX =
      SECTION.add(
          Setting.of(
              "management.path_prefix",
              orWord("none", text()),
              "none",
              "What all paths of the API and of the page begin with, such as `/mayfly`, for a"
                  + " reverse proxy that passes paths on. Other paths are not found."));

  static final KeyFamily<String> ALLOWED_HOSTS =
      SECTION.addChangeable(
          new KeyFamily<>(
              "management.allowed_hosts.",
              "$n",
              hostName(),
              Map.of(),
              "A [name of this machine](http-api.md#names-of-the-machine) by which"
                  + " `loopback_users` may reach the API, beside `localhost` and addresses."));

  private static ValueType<Integer> milliseconds() {
    return wholeNumber("milliseconds", 100, 3_600_000);
  }

  /**
   * Returns the settings. As in RabbitMQ, a configuration that has TLS listeners and does not
   * mention TCP gets TLS only.
   *
   * @throws ConfigException if a key of the page's login is missing
   */
  static ManagementSettings of(SettingValues values) throws ConfigException {
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
        Set.copyOf(values.members(ALLOWED_HOSTS).values()),
        PageLoginSettings.of(values));
  }

  /** Returns where it listens for users; empty if it does not. */
  public Optional<InetSocketAddress> address() {
    return port.map(number -> new InetSocketAddress(host, number));
  }

  /** Returns where it listens for users who speak TLS; empty if it does not. */
  public Optional<InetSocketAddress> tlsAddress() {
    return tlsPort.map(number -> new InetSocketAddress(tlsHost, number));
  }
}
