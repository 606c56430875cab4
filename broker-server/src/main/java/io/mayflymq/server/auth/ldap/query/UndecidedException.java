package io.mayflymq.server.auth.ldap.query;

/**
 * A query has no answer: neither yes nor no, which counts as a no wherever it stands. The message
 * says why, and holds no secret.
 */
public final class UndecidedException extends Exception {
  private static final long serialVersionUID = 1L;

  public UndecidedException(String message) {
    super(message);
  }
}
