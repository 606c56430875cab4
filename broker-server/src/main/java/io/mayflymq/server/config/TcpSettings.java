package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.listenAddress;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

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

  private static OptionalInt optionalInt(Optional<Integer> value) {
    return value.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }
}
