package io.mayflymq.server.auth;

import io.mayflymq.core.security.Credentials;
import java.util.Objects;

/**
 * What a client logs in with.
 *
 * @param username the name that it gives, or that was proved
 * @param password null if the name was proved by other means, such as a TLS certificate
 */
public record LoginAttempt(String username, String password) {
  public LoginAttempt {
    Objects.requireNonNull(username, "username");
  }

  /** An attempt with a password. */
  public static LoginAttempt of(Credentials credentials) {
    return new LoginAttempt(credentials.username(), credentials.password());
  }

  /** An attempt whose name was proved by other means. */
  public static LoginAttempt proved(String username) {
    return new LoginAttempt(username, null);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "LoginAttempt[" + username + "]";
  }
}
