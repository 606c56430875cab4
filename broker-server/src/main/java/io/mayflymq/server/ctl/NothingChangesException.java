package io.mayflymq.server.ctl;

/** A command with {@code --dry-run} has come to the point where it would change something. */
final class NothingChangesException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NothingChangesException() {
    super("--dry-run", null, false, false);
  }
}
