package io.mayflymq.core.security;

/** What a mechanism made of the response of a client. */
public sealed interface SaslResponse {

  /** A name and a password to be checked. */
  record Login(Credentials credentials) implements SaslResponse {}

  /**
   * The client is a part of this broker.
   *
   * @param user whose permissions it has; empty for all permissions
   */
  record Proved(String user) implements SaslResponse {}

  /** The client is who its TLS certificate says. */
  record Certificate() implements SaslResponse {}

  /**
   * No response of this mechanism.
   *
   * @param detail why, for a 502 SYNTAX_ERROR that closes the connection. Unlike RabbitMQ's text it
   *     does not repeat the response, which has a password in it.
   */
  record Malformed(String detail) implements SaslResponse {}
}
