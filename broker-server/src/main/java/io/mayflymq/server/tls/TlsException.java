package io.mayflymq.server.tls;

/** The files for TLS cannot be used. The message is one line that names the key and the file. */
public final class TlsException extends Exception {
  private static final long serialVersionUID = 1L;

  public TlsException(String message) {
    super(message);
  }

  public TlsException(String message, Throwable cause) {
    super(message, cause);
  }
}
