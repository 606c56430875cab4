package io.mayflymq.server.cluster.consensus;

/** A request to the replicated log failed. The message is one line for the user. */
public class ConsensusException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Describes the failure in one line. */
  public ConsensusException(String message) {
    super(message, null, false, false);
  }

  /** Describes the failure in one line. */
  public ConsensusException(String message, Throwable cause) {
    super(message, cause, false, false);
  }

  /** Returns whether the request may have been carried out nevertheless, or may be later. */
  public boolean mayHappen() {
    return false;
  }
}
