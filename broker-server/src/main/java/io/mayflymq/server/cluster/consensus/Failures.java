package io.mayflymq.server.cluster.consensus;

/** Finds out what went wrong. */
final class Failures {
  private Failures() {}

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

  /** The log of a member cannot be used. */
  static ConsensusException notOpened(ConsensusSettings settings, Exception cause) {
    return new ConsensusException(
        "the log of the cluster in %s cannot be opened: %s"
            .formatted(settings.directory(), text(cause)),
        cause);
  }

  /**
   * What requests fail with after the end.
   *
   * @param mayHappen whether a leader was asked, which may carry it out nevertheless
   */
  static ConsensusException stopped(boolean mayHappen) {
    return new NoMajorityException(
        "this node takes no part in the consensus of the cluster now", mayHappen);
  }
}
