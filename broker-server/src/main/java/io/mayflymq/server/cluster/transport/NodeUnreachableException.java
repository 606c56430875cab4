package io.mayflymq.server.cluster.transport;

/** A node cannot be reached, or did not answer in time. The message names it. */
public final class NodeUnreachableException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Describes the failure in one line. */
  public NodeUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
