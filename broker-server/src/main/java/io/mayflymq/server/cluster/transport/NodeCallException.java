package io.mayflymq.server.cluster.transport;

/** A node could not carry out a request. The message is that of the node. */
public final class NodeCallException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Describes the failure in one line. */
  public NodeCallException(String message) {
    super(message, null, false, false);
  }
}
