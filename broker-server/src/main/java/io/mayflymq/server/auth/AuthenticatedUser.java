package io.mayflymq.server.auth;

import java.util.List;

/**
 * A user who has logged in.
 *
 * @param name the user's name
 * @param tags the user's tags, of all backends that took part in the login
 * @param given those of them that a service has given: they last as long as the login. Others are
 *     as the broker has them at each moment.
 * @param authenticator the backend that has checked the password: a name of the configuration
 * @param authorizer the backend that decides what the user may do: a name of the configuration
 * @param state what that backend keeps of the login; its end is that of the login, whichever
 *     backend has set it
 */
public record AuthenticatedUser(
    String name,
    List<String> tags,
    List<String> given,
    String authenticator,
    String authorizer,
    LoginState state) {
  public AuthenticatedUser {
    tags = List.copyOf(tags);
    given = List.copyOf(given);
  }

  /** One of whose login no backend keeps anything. */
  public AuthenticatedUser(String name, List<String> tags, List<String> given, String authorizer) {
    this(name, tags, given, authorizer, authorizer, LoginState.NONE);
  }

  /** Returns whether the user and the user's permissions are in the broker itself. */
  public boolean isInternal() {
    return authorizer.equals(InternalBackend.NAME);
  }
}
