package io.mayflymq.core.codec;

/** A frame of another node cannot be read. The message is one line. */
public final class ByteFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Describes what is wrong. */
  public ByteFormatException(String message) {
    super(message, null, false, false);
  }
}
