package io.mayflymq.core.store;

/** A content cannot be read: its file is damaged, or the disk reported an error. */
public final class UnreadableException extends RuntimeException {
  /**
   * Creates the exception.
   *
   * @param reason what is wrong, and where, in a few words for the log
   */
  public UnreadableException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
