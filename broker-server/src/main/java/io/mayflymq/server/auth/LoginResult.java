package io.mayflymq.server.auth;

import io.mayflymq.core.security.AuthenticationResult;

/** The result of a login by the chain of backends. */
public sealed interface LoginResult {

  /** A backend has accepted the login. */
  record Accepted(AuthenticatedUser user) implements LoginResult {}

  /**
   * Every backend has refused it, or could not answer.
   *
   * @param refusal with the reasons of all of them, for the log and never for the client
   */
  record Refused(AuthenticationResult.Refused refusal) implements LoginResult {}
}
