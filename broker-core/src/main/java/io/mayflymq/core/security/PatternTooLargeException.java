package io.mayflymq.core.security;

/** A regular expression would take too much memory or time. The message says why. */
public final class PatternTooLargeException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  PatternTooLargeException(String message) {
    super(message);
  }
}
