package io.mayflymq.server.management;

import java.net.InetAddress;
import java.util.Map;

/** Who makes a request. */
@FunctionalInterface
interface Authenticator {
  /**
   * The principal of a request.
   *
   * @param header the value of {@code Authorization}, or null
   * @return null if it gives no credentials
   * @throws ApiException 401 if they are wrong
   */
  Principal authenticate(String header, InetAddress remote);

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
