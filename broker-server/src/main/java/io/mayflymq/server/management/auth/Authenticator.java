package io.mayflymq.server.management.auth;

import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Response;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Authenticates requests. */
@FunctionalInterface
public interface Authenticator {
  /** The value of {@code X-Requested-With} in requests of the management page. */
  String PAGE = "mayfly";

  /**
   * Returns the principal of a request. Called on an event loop.
   *
   * @throws ApiException if the request is refused for another reason than its credentials
   */
  Login authenticate(RequestHead head);

  /** The result of a login. */
  sealed interface Login {
    /** The credentials are right. */
    record Accepted(Principal principal) implements Login {}

    /** There are no credentials. */
    record Missing() implements Login {}

    /**
     * The credentials are wrong.
     *
     * @param pauseMillis for how long the answer is to be held back
     */
    record Refused(long pauseMillis) implements Login {}

    /**
     * A service was asked, and its answer is on its way.
     *
     * @param result what the login has come to; on any thread, and not another one of these
     */
    record Awaited(CompletableFuture<Login> result) implements Login {}

    /**
     * Returns what becomes of this login, now or when its answer is there.
     *
     * @param next may throw {@link ApiException}
     */
    default Login then(UnaryOperator<Login> next) {
      return this instanceof Awaited awaited
          ? new Awaited(awaited.result().thenApply(next))
          : next.apply(this);
    }
  }

  /** Returns whether a request is marked as one of the management page. */
  static boolean isFromPage(RequestHead head) {
    return PAGE.equalsIgnoreCase(head.header("x-requested-with"));
  }

  /**
   * Returns the answer to a request without credentials. A browser that is challenged asks for a
   * password in a dialog of its own, so the management page, which has a form, is not challenged.
   */
  static Response challenge(RequestHead head) {
    if (isFromPage(head)) {
      return Response.of(new ApiException(401, "not_authorized", "Not logged in"));
    }
    return new Response(
        401, null, Map.of("www-authenticate", "Basic realm=\"MayflyMQ Management\""));
  }

  /** Returns the error for wrong credentials. */
  static ApiException failed() {
    return new ApiException(401, "not_authorized", "Login failed");
  }
}
