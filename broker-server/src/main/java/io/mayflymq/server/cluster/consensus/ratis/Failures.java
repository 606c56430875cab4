package io.mayflymq.server.cluster.consensus.ratis;

import io.mayflymq.server.cluster.consensus.ConsensusException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Finds out what went wrong. */
final class Failures {
  private Failures() {}

  /** Returns what is within the exceptions that futures add. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns the message of the innermost cause that has one, in one line. */
  static String text(Throwable failure) {
    String text = failure.getClass().getSimpleName();
    Throwable cause = failure;
    for (int i = 0; cause != null && i < 32; i++) {
      if (cause.getMessage() != null) {
        text = cause.getMessage();
      }
      cause = cause.getCause();
    }
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }

  /** What requests fail with after the end. */
  static ConsensusException stopped() {
    return new ConsensusException("this node takes no part in the consensus of the cluster now");
  }
}
