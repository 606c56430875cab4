package io.mayflymq.server.auth.oauth2;

/** A token that does not count. The message says why, for the log, and has nothing secret. */
final class TokenException extends Exception {
  private static final long serialVersionUID = 1L;

  TokenException(String message) {
    super(message, null, false, false);
  }
}
