package io.mayflymq.server.management.auth;

import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Response;
import java.net.InetSocketAddress;
import java.util.Map;

/** Authenticates requests. */
@FunctionalInterface
public interface Authenticator {
  /**
   * The principal of a request. Called on an event loop.
   *
   * @param header the value of {@code Authorization}, or null
   */
  Login authenticate(String header, InetSocketAddress peer);

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
  }

  /** Returns the answer to a request without credentials. */
  static Response challenge() {
    return new Response(
        401, null, Map.of("www-authenticate", "Basic realm=\"MayflyMQ Management\""));
  }

  /** Returns the error for wrong credentials. */
  static ApiException failed() {
    return new ApiException(401, "not_authorized", "Login failed");
  }
}
