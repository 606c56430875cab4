package io.mayflymq.core.store.segment;

/** A log confirms nothing any more, since a force has failed. */
public final class LogFailedException extends RuntimeException {
  /** Says which log has failed, and why. */
  public LogFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
