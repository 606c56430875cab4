package io.mayflymq.shovel.client;

/** A connection could not be opened. The message says why, without passwords. */
public final class ConnectException extends Exception {
  ConnectException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Returns the same with the name of an end of a link before the message. */
  public ConnectException of(String end) {
    return new ConnectException(end + ", " + getMessage(), getCause());
  }
}
