package io.mayflymq.server.management;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult;
import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.Credentials;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Knows users by their passwords, with HTTP's basic authentication. */
final class UserAuthenticator implements Authenticator {
  private static final String BASIC = "basic ";

  private final AccessControl accessControl;
  private final AuthAttempts attempts;

  UserAuthenticator(AccessControl accessControl, AuthAttempts attempts) {
    this.accessControl = accessControl;
    this.attempts = attempts;
  }

  @Override
  public Principal authenticate(String header, InetAddress remote) {
    if (header == null) {
      return null;
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
    return Authenticator.failed();
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
