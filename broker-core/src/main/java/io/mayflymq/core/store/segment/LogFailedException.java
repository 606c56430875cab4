package io.mayflymq.core.store.segment;

/** A log that confirms nothing any more, since a force has failed. */
public final class LogFailedException extends RuntimeException {
  LogFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
