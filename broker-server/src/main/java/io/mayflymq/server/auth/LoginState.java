package io.mayflymq.server.auth;

import java.util.List;

/**
 * What the backend that decides about a user keeps of the login, as long as it lasts.
 *
 * @param expiresMillis when the login is over, in ms since the epoch; {@link #NEVER} if it lasts as
 *     long as the connection
 * @param facts what the backend has found about the user; what they mean is its own matter. Other
 *     nodes of the cluster are told.
 * @param secret what the user has proved to be one with, if the backend needs it again; null if
 *     not. It stays on this node.
 */
public record LoginState(long expiresMillis, List<String> facts, String secret) {
  /** The end of a login that lasts as long as the connection. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Of a login of which nothing is kept. */
  public static final LoginState NONE = new LoginState(NEVER, List.of(), null);

  public LoginState {
    facts = List.copyOf(facts);
  }

  /** Returns the same, over at an earlier time if it would last longer. */
  LoginState until(long millis) {
    return millis < expiresMillis ? new LoginState(millis, facts, secret) : this;
  }

  /** Without what it holds. */
  @Override
  public String toString() {
    return "LoginState[expiresMillis=" + expiresMillis + "]";
  }
}
