package io.mayflymq.server.config;

/**
 * Where to listen.
 *
 * @param host an address or a host name; empty for all addresses of the machine
 * @param port from 0 to 65535, where 0 lets the system choose
 */
record ListenAddress(String host, int port) {}
