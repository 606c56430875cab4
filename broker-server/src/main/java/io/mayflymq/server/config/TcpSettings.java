package io.mayflymq.server.config;

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
    boolean proxyProtocol) {}
