package io.mayflymq.shovel.transfer;

/** Messages are moved no more. The message says why, without passwords. */
public final class TransferException extends Exception {
  private final boolean mayRunAtOnce;

  /**
   * @param mayRunAtOnce whether to try again without a pause, if it has run
   */
  public TransferException(String message, boolean mayRunAtOnce) {
    super(message);
    this.mayRunAtOnce = mayRunAtOnce;
  }

  /** Returns whether to try again without a pause, if it has run. */
  public boolean mayRunAtOnce() {
    return mayRunAtOnce;
  }
}
