package io.mayflymq.server.auth;

import java.util.List;

/**
 * A user who has logged in.
 *
 * @param name the user's name
 * @param tags the user's tags, of all backends that took part in the login
 * @param given those of them that a service has given: they last as long as the login. Others are
 *     as the broker has them at each moment.
 * @param authorizer the backend that decides what the user may do: a name of the configuration
 */
public record AuthenticatedUser(
    String name, List<String> tags, List<String> given, String authorizer) {
  public AuthenticatedUser {
    tags = List.copyOf(tags);
    given = List.copyOf(given);
  }

  /** Returns whether the user and the user's permissions are in the broker itself. */
  public boolean isInternal() {
    return authorizer.equals(InternalBackend.NAME);
  }
}
