package io.mayflymq.server.management.auth;

import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Response;
import java.net.InetSocketAddress;
import java.util.Map;

/** Who makes a request. */
@FunctionalInterface
public interface Authenticator {
  /**
   * The principal of a request. Called on an event loop.
   *
   * @param header the value of {@code Authorization}, or null
   */
  Login authenticate(String header, InetSocketAddress peer);

  /** What came of a login. */
  sealed interface Login {
    /** The principal is who he says. */
    record Accepted(Principal principal) implements Login {}

    /** There are no credentials. */
    record Missing() implements Login {}

    /**
     * They are wrong.
     *
     * @param pauseMillis for how long the answer is to be held back
     */
    record Refused(long pauseMillis) implements Login {}
  }

  /** What a client is told that gave no credentials. */
  static Response challenge() {
    return new Response(
        401, null, Map.of("www-authenticate", "Basic realm=\"MayflyMQ Management\""));
  }

  /** What a client is told whose credentials are wrong. */
  static ApiException failed() {
    return new ApiException(401, "not_authorized", "Login failed");
  }
}
