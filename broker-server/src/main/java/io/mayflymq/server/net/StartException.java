package io.mayflymq.server.net;

/**
 * The broker cannot start, for a reason outside of its configuration's text: an address in use, a
 * directory that cannot be written. The message is one line for the operator, who sees nothing
 * else.
 */
public final class StartException extends Exception {
  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
