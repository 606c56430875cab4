package io.mayflymq.core.store;

/** Stored messages cannot be read or written. The text says what and where. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the error. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
