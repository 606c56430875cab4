package io.mayflymq.server.auth;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult;
import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.server.config.AuthBackendKeys;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The users and permissions of the broker itself. Every answer is there at once. */
final class InternalBackend implements AuthBackend {
  /** Its name in the configuration. */
  static final String NAME = AuthBackendKeys.INTERNAL;

  private final AccessControl control;

  InternalBackend(AccessControl control) {
    this.control = control;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CompletableFuture<Answer> authenticate(LoginAttempt attempt) {
    return attempt.password() == null
        ? recognize(attempt)
        : answer(control.check(new Credentials(attempt.username(), attempt.password())));
  }

  @Override
  public CompletableFuture<Answer> recognize(LoginAttempt attempt) {
    return answer(control.checkProved(attempt.username()));
  }

  private static CompletableFuture<Answer> answer(AuthenticationResult result) {
    return CompletableFuture.completedFuture(
        result instanceof Accepted accepted
            ? Answer.allowed(accepted.user().tags())
            : Answer.refused(((Refused) result).reason()));
  }

  /** Permissions may be taken away at any time, so they are looked at for the access. */
  @Override
  public CompletableFuture<Answer> enter(
      AuthenticatedUser user, String vhost, InetAddress address) {
    return CompletableFuture.completedFuture(
        control.state().permissions(user.name(), vhost) == null
            ? Answer.refused("")
            : Answer.ALLOWED);
  }

  @Override
  public VhostAccess access(AuthenticatedUser user, String vhost) {
    return control.checkVhostAccess(user.name(), vhost, Map.of(), user.given());
  }

  /** The connection logs its errors, and there is no more to say. */
  @Override
  public String refused(String refusal, Answer answer) {
    return "";
  }
}
