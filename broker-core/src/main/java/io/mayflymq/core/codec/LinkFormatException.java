package io.mayflymq.core.codec;

/** A frame of another node cannot be read. The message is one line. */
public final class LinkFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Describes what is wrong. */
  public LinkFormatException(String message) {
    super(message, null, false, false);
  }
}
