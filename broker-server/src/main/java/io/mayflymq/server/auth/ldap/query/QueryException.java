package io.mayflymq.server.auth.ldap.query;

/** A text that was to be a query is none; the message says where, and what was expected. */
public final class QueryException extends Exception {
  private static final long serialVersionUID = 1L;

  QueryException(String message) {
    super(message);
  }
}
