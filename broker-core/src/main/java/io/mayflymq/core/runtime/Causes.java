package io.mayflymq.core.runtime;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Finds out what went wrong. */
public final class Causes {
  private Causes() {}

  /**
   * Returns what is within the exceptions that futures add.
   *
   * @param failure what a future failed with; null if it did not
   */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
