package io.mayflymq.core.security;

import java.util.Objects;

/** A name and a password, as a client sent them. */
public record Credentials(String username, String password) {
  public Credentials {
    Objects.requireNonNull(username, "username");
    Objects.requireNonNull(password, "password");
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "Credentials[" + username + "]";
  }
}
