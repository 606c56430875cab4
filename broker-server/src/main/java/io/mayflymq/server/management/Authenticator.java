package io.mayflymq.server.management;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult;
import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.Credentials;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;

/**
 * Who makes a request: a user with his password, by HTTP's basic authentication, or whoever can
 * read the control file, by its token.
 */
final class Authenticator {
  private static final String CHALLENGE = "Basic realm=\"MayflyMQ Management\"";
  private static final String BASIC = "basic ";
  private static final String BEARER = "bearer ";

  private final AccessControl accessControl;
  private final AuthAttempts attempts;
  private final byte[] token;

  private Authenticator(AccessControl accessControl, AuthAttempts attempts, String token) {
    this.accessControl = accessControl;
    this.attempts = attempts;
    this.token = token.getBytes(StandardCharsets.US_ASCII);
  }

  /** Knows users only. */
  static Authenticator ofUsers(AccessControl accessControl, AuthAttempts attempts) {
    return new Authenticator(accessControl, attempts, "");
  }

  /** Knows users, and the token of the control file if it comes from this machine. */
  static Authenticator ofControl(AccessControl accessControl, AuthAttempts attempts, String token) {
    return new Authenticator(accessControl, attempts, token);
  }

  /** What a client is told that gave no credentials. */
  static Response challenge() {
    return new Response(401, null, Map.of("www-authenticate", CHALLENGE));
  }

  /**
   * The principal of a request.
   *
   * @param header the value of {@code Authorization}, or null
   * @return null if it gives none
   * @throws ApiException 401 if they are wrong
   */
  Principal authenticate(String header, InetAddress remote) {
    if (header == null) {
      return null;
    }
    if (header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      byte[] given = header.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
      if (token.length > 0 && remote.isLoopbackAddress() && MessageDigest.isEqual(given, token)) {
        return Principal.CONTROL;
      }
      throw failed();
    }
    Credentials credentials = basic(header);
    if (credentials == null) {
      throw failed();
    }
    AuthenticationResult result = accessControl.authenticate(credentials, remote);
    if (result instanceof Accepted accepted) {
      attempts.succeeded();
      return new Principal(accepted.user().name(), accepted.user().tags(), false);
    }
    throw failed();
  }

  private ApiException failed() {
    attempts.failed();
    return new ApiException(401, "not_authorized", "Login failed");
  }

  private static Credentials basic(String header) {
    if (!header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return null;
    }
    try {
      byte[] decoded = Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
      String both = new String(decoded, StandardCharsets.UTF_8);
      int colon = both.indexOf(':');
      return colon < 0
          ? null
          : new Credentials(both.substring(0, colon), both.substring(colon + 1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
