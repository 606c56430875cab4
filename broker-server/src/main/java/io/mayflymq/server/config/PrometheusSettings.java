package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The metrics for Prometheus.
 *
 * @param host the address where they are served
 * @param port the port where they are served; empty if they are not, 0 lets the system choose
 * @param tlsHost the address where they are served to clients that speak TLS
 * @param tlsPort the port for them; empty if there is none, 0 lets the system choose
 * @param tls what that needs
 * @param path the path of the aggregated metrics; begins with a slash and does not end with one
 * @param perObject whether this path has the metrics of each object instead
 * @param waits whether it is measured how long messages wait in queues
 * @param authentication whether only users may read them who may monitor the broker
 */
public record PrometheusSettings(
    String host,
    Optional<Integer> port,
    String tlsHost,
    Optional<Integer> tlsPort,
    TlsSettings tls,
    String path,
    boolean perObject,
    boolean waits,
    boolean authentication) {
  static final Section SECTION = new Section("Metrics");

  private static final Setting<String> IP =
      SECTION.add(
          Setting.of(
              "prometheus.tcp.ip",
              text(),
              "0.0.0.0",
              "Where [the metrics for Prometheus](monitoring.md) are served."));
  private static final Setting<Optional<Integer>> PORT =
      SECTION.add(
          Setting.of(
              "prometheus.tcp.port",
              orWord("none", wholeNumber("", 0, 65_535)),
              "15692",
              "The port; with 0 the operating system chooses a port, `none` means no listener."));
  private static final Setting<String> TLS_IP =
      SECTION.add(
          Setting.of(
              "prometheus.ssl.ip",
              text(),
              "0.0.0.0",
              "Where they are served to clients with [TLS](monitoring.md#tls-and-login)."));
  private static final Setting<Optional<Integer>> TLS_PORT =
      SECTION.add(
          Setting.of(
              "prometheus.ssl.port",
              orWord("none", wholeNumber("", 0, 65_535)),
              "none",
              "The port for TLS, usually 15691. If it is set, and neither"
                  + " `prometheus.tcp.port` nor `prometheus.tcp.ip` is, they are served there only."));
  static final TlsKeys TLS = TlsKeys.of(SECTION, "prometheus.ssl", "prometheus.ssl.port");
  private static final Setting<String> PATH =
      SECTION.add(Setting.of("prometheus.path", text(), "/metrics", "The path of the metrics."));
  private static final Setting<Boolean> PER_OBJECT =
      SECTION.add(
          Setting.of(
              "prometheus.return_per_object_metrics",
              bool(),
              "false",
              "Whether this path has the metrics of each object rather than their sums."));
  private static final Setting<Boolean> WAITS =
      SECTION.add(
          Setting.of(
              "prometheus.waiting_times.enabled",
              bool(),
              "false",
              "Whether it is measured [how long messages"
                  + " wait](monitoring.md#what-rabbitmq-does-not-have) in queues until they are"
                  + " delivered."));
  private static final Setting<Boolean> AUTHENTICATION =
      SECTION.add(
          Setting.of(
              "prometheus.authentication.enabled",
              bool(),
              "false",
              "Whether they are for users with the tag `monitoring` or `administrator` only."));

  /**
   * Returns the settings. As in RabbitMQ, a configuration that has TLS listeners and does not
   * mention TCP gets TLS only.
   */
  static PrometheusSettings of(SettingValues values) {
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

  /** Returns where they are served; empty if they are not. */
  public Optional<InetSocketAddress> address() {
    return port.map(number -> new InetSocketAddress(host, number));
  }

  /** Returns where they are served to clients that speak TLS; empty if they are not. */
  public Optional<InetSocketAddress> tlsAddress() {
    return tlsPort.map(number -> new InetSocketAddress(tlsHost, number));
  }
}
