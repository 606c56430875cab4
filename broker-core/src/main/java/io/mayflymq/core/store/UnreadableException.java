package io.mayflymq.core.store;

/** A content cannot be read: its file is damaged, or the disk gave no answer. */
public final class UnreadableException extends RuntimeException {
  /**
   * Tells what was found.
   *
   * @param reason what, and where, in a few words for the log
   */
  public UnreadableException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
