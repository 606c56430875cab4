package io.mayflymq.server.cluster.transport;

/** The handshake cannot go on. The message is one line, for both sides. */
final class HandshakeException extends Exception {
  private static final long serialVersionUID = 1L;

  HandshakeException(String message) {
    super(message, null, false, false);
  }
}
