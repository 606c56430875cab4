package io.mayflymq.server.auth;

import io.mayflymq.core.security.Credentials;
import java.util.Objects;

/**
 * What a client logs in with.
 *
 * @param username the name that it gives, or that was proved
 * @param password null if the name was proved by other means, such as a TLS certificate
 * @param isToken whether the password is said to be a token, which has the name of its user
 */
public record LoginAttempt(String username, String password, boolean isToken) {
  public LoginAttempt {
    Objects.requireNonNull(username, "username");
  }

  /** An attempt with a password, which may be a token. */
  public LoginAttempt(String username, String password) {
    this(username, password, false);
  }

  /** An attempt with a token. */
  public static LoginAttempt token(String token) {
    return new LoginAttempt("", token, true);
  }

  /** An attempt with a password. */
  public static LoginAttempt of(Credentials credentials) {
    return new LoginAttempt(credentials.username(), credentials.password());
  }

  /** An attempt whose name was proved by other means. */
  public static LoginAttempt proved(String username) {
    return new LoginAttempt(username, null);
  }

  /** Returns the same in another name. */
  LoginAttempt as(String otherName) {
    return new LoginAttempt(otherName, password, isToken);
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "LoginAttempt[" + username + "]";
  }
}
