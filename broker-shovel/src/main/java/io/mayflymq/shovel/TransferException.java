package io.mayflymq.shovel;

/** Messages are moved no more. The message says why, without passwords. */
final class TransferException extends Exception {
  private final boolean mayRunAtOnce;

  /**
   * @param mayRunAtOnce whether to try again without a pause, if it has run
   */
  TransferException(String message, boolean mayRunAtOnce) {
    super(message);
    this.mayRunAtOnce = mayRunAtOnce;
  }

  boolean mayRunAtOnce() {
    return mayRunAtOnce;
  }
}
