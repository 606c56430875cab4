package io.mayflymq.server.cluster.transport;

/** A frame that cannot be read, or is too large to be sent. The message is one line. */
public final class FrameException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Describes what is wrong. */
  public FrameException(String message) {
    super(message, null, false, false);
  }
}
