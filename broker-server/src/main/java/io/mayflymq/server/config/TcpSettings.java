package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.listenAddress;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.path;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.server.config.TlsSettings.Revocation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;

/**
 * Options of the sockets ({@code tcp_listen_options}).
 *
 * @param backlog connections that may wait to be accepted
 * @param nodelay TCP_NODELAY
 * @param keepalive SO_KEEPALIVE
 * @param sendBuffer SO_SNDBUF in bytes; empty leaves it to the system
 * @param receiveBuffer SO_RCVBUF in bytes; empty leaves it to the system
 * @param proxyProtocol whether connections begin with a header of the PROXY protocol
 */
public record TcpSettings(
    int backlog,
    boolean nodelay,
    boolean keepalive,
    OptionalInt sendBuffer,
    OptionalInt receiveBuffer,
    boolean proxyProtocol) {
  static final Section SECTION = new Section("Listeners");

  private static final String PATH = ".path";

  static final Setting<String> NO_TCP_LISTENERS =
      SECTION.add(
          Setting.withoutDefault(
              "listeners.tcp",
              word("none"),
              "Listens on no TCP port. Listeners from a later source still apply."));

  static final KeyFamily<Optional<ListenAddress>> TCP_LISTENERS =
      SECTION.add(
          new KeyFamily<>(
              "listeners.tcp.",
              "$name",
              orWord("none", listenAddress()),
              Map.of("listeners.tcp.default", "5672"),
              "Where clients connect. With port 0 the operating system chooses a port."));

  static final KeyFamily<Optional<ListenAddress>> TLS_LISTENERS =
      SECTION.add(
          new KeyFamily<>(
              "listeners.ssl.",
              "$name",
              orWord("none", listenAddress()),
              Map.of("listeners.ssl.default", "none"),
              "Where clients connect with [TLS](tls.md); the usual port is 5671."));

  static final TlsKeys TLS = TlsKeys.of(SECTION, "ssl_options", "listeners.ssl");

  static final Setting<String> CRL_CHECK =
      SECTION.addChangeable(
          Setting.of(
              "ssl_options.crl_check",
              word("true", "peer", "best_effort", "false"),
              "false",
              "Whether [revoked certificates](tls.md#revoked-certificates) of clients are refused."));

  static final KeyFamily<String> CRL_SOURCES =
      SECTION.addChangeable(
          new KeyFamily<>(
              "ssl_options.crl_sources.",
              "$n",
              text(),
              Map.of(),
              "Where revocation lists are: `dir` for a directory, which `ssl_options.crl_sources.$n.path`"
                  + " names."));

  static final Setting<Optional<Path>> TRUST_STORE =
      SECTION.addChangeable(
          Setting.of(
              "trust_store.directory",
              orWord("none", path()),
              "none",
              "A directory of [clients' certificates](tls.md#clients-certificates) that are accepted,"
                  + " in PEM, besides those that `ssl_options.cacertfile` has signed."));

  static final Setting<Integer> BACKLOG =
      SECTION.add(
          Setting.of(
              "tcp_listen_options.backlog",
              wholeNumber("connections", 1, 65_535),
              "1024",
              "Connections that may wait to be accepted."));

  static final Setting<Boolean> NODELAY =
      SECTION.add(
          Setting.of("tcp_listen_options.nodelay", bool(), "true", "Sends small packets at once."));

  static final Setting<Boolean> KEEPALIVE =
      SECTION.add(
          Setting.of(
              "tcp_listen_options.keepalive",
              bool(),
              "false",
              "Lets the operating system probe idle connections."));

  static final Setting<Optional<Integer>> SEND_BUFFER =
      SECTION.add(
          Setting.of(
              "tcp_listen_options.sndbuf",
              orWord("auto", bytes(1024, 1 << 30)),
              "auto",
              "The socket's send buffer."));

  static final Setting<Optional<Integer>> RECEIVE_BUFFER =
      SECTION.add(
          Setting.of(
              "tcp_listen_options.recbuf",
              orWord("auto", bytes(1024, 1 << 30)),
              "auto",
              "The socket's receive buffer."));

  static final Setting<Boolean> PROXY_PROTOCOL =
      SECTION.add(
          Setting.of(
              "proxy_protocol",
              bool(),
              "false",
              "Whether connections to all listeners for AMQP begin with a header of the"
                  + " [PROXY protocol](#behind-a-proxy)."));

  static TcpSettings of(SettingValues values) {
    return new TcpSettings(
        values.get(BACKLOG),
        values.get(NODELAY),
        values.get(KEEPALIVE),
        optionalInt(values.get(SEND_BUFFER)),
        optionalInt(values.get(RECEIVE_BUFFER)),
        values.get(PROXY_PROTOCOL));
  }

  /**
   * Returns how listeners for AMQP speak TLS.
   *
   * @throws ConfigException if keys do not fit together
   */
  static TlsSettings tls(SettingValues values) throws ConfigException {
    String check = values.get(CRL_CHECK);
    List<Path> directories = directories(values.members(CRL_SOURCES));
    if (check.equals("false")) {
      return TLS.settings(values, values.get(TRUST_STORE), Optional.empty());
    }
    if (directories.isEmpty()) {
      throw new ConfigException(
          ("ssl_options.crl_check = %s: there are no revocation lists: expected"
                  + " ssl_options.crl_sources.1 = dir and ssl_options.crl_sources.1.path")
              .formatted(check));
    }
    return TLS.settings(
        values,
        values.get(TRUST_STORE),
        Optional.of(
            new Revocation(Revocation.Check.valueOf(check.toUpperCase(Locale.ROOT)), directories)));
  }

  /** Returns the directories of sources, of which the type may be left away. */
  private static List<Path> directories(SortedMap<String, String> sources) throws ConfigException {
    List<Path> directories = new ArrayList<>();
    for (Map.Entry<String, String> each : sources.entrySet()) {
      String key = "ssl_options.crl_sources." + each.getKey();
      if (key.endsWith(PATH)) {
        directories.add(Path.of(each.getValue()));
      } else if (!each.getValue().equals("dir")) {
        throw new ConfigException(
            "%s = %s: expected dir: lists are not fetched".formatted(key, each.getValue()));
      } else if (!sources.containsKey(each.getKey() + PATH)) {
        throw new ConfigException("%1$s = dir: %1$s%2$s is missing".formatted(key, PATH));
      }
    }
    return directories;
  }

  private static OptionalInt optionalInt(Optional<Integer> value) {
    return value.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }
}
