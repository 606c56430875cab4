package io.mayflymq.server.metrics;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService.Admission;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.auth.AuthAttempts;
import io.mayflymq.server.management.auth.Authenticator.Login;
import io.mayflymq.server.management.auth.UserAuthenticator;
import java.util.Map;
import java.util.function.Supplier;

/** Decides who may read metrics. */
@FunctionalInterface
interface MetricsAccess {
  /** Metrics are for everyone who can connect. */
  MetricsAccess OPEN = (head, allowed) -> allowed.get();

  /**
   * Decides about a request. Called on an event loop.
   *
   * @param allowed what becomes of it if it is allowed
   */
  Admission admit(RequestHead head, Supplier<Admission> allowed);

  /**
   * Metrics are for users who may monitor the broker. Failed logins delay further ones, as
   * everywhere; as in RabbitMQ a user without the right is refused with 401 too.
   */
  static MetricsAccess ofMonitors(AuthChain logins, AccessControl accessControl) {
    UserAuthenticator users =
        new UserAuthenticator(logins, accessControl, new AuthAttempts(), false);
    return (head, allowed) -> admit(users.authenticate(head), allowed);
  }

  private static Admission admit(Login login, Supplier<Admission> allowed) {
    if (login instanceof Login.Awaited awaited) {
      return new Admission.Deferred(awaited.result().thenApply(later -> admit(later, allowed)));
    }
    if (login instanceof Login.Accepted accepted) {
      return accepted.principal().isMonitor() ? allowed.get() : refused("Not monitor user", 0);
    }
    return login instanceof Login.Refused refused
        ? refused("Login failed", refused.pauseMillis())
        : refused("Login required", 0);
  }

  private static Admission.Refused refused(String reason, long pauseMillis) {
    HttpResponse text = HttpResponse.text(401, reason);
    Map<String, String> headers =
        Map.of(
            "content-type",
            "text/plain; charset=utf-8",
            "www-authenticate",
            "Basic realm=\"MayflyMQ Prometheus\"");
    return new Admission.Refused(new HttpResponse(401, headers, text.body()), pauseMillis);
  }
}
