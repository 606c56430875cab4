package io.mayflymq.server.standby;

/** A node of the primary does not give what it is asked for. The message is one line. */
final class PrimaryException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean answered;

  /**
   * Describes what is wrong.
   *
   * @param answered whether it has answered at all
   */
  PrimaryException(String message, boolean answered) {
    super(message);
    this.answered = answered;
  }

  /** Returns whether it has answered at all. */
  boolean hasAnswered() {
    return answered;
  }
}
