package io.mayflymq.server.auth.ldap;

import java.io.IOException;

/**
 * A server of the directory gives no answer, so another one is to be asked. The message says why,
 * and holds no secret.
 */
final class ServerFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean silent;

  /**
   * @param silent whether its time has passed
   */
  ServerFailedException(String message, boolean silent, Throwable cause) {
    super(message, cause);
    this.silent = silent;
  }

  /** Returns whether the time of the server has passed, and not only the attempt failed. */
  boolean isSilent() {
    return silent;
  }
}
