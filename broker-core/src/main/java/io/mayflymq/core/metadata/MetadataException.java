package io.mayflymq.core.metadata;

/** The metadata of a broker cannot be opened or read. The message is one line for the operator. */
public final class MetadataException extends RuntimeException {
  /** Describes the failure in one line. */
  public MetadataException(String message, Throwable cause) {
    super(message, cause);
  }
}
