package io.mayflymq.server.management;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.function.Supplier;

/** Knows whoever can read the control file by its token, if he is on this machine; and users. */
final class TokenAuthenticator implements Authenticator {
  private static final String BEARER = "bearer ";

  private final byte[] token;
  private final Supplier<Authenticator> users;

  TokenAuthenticator(String token, Supplier<Authenticator> users) {
    this.token = token.getBytes(StandardCharsets.US_ASCII);
    this.users = users;
  }

  @Override
  public Principal authenticate(String header, InetAddress remote) {
    if (header == null) {
      return null;
    }
    if (!header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return users.get().authenticate(header, remote);
    }
    byte[] given = header.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
    if (remote.isLoopbackAddress() && MessageDigest.isEqual(given, token)) {
      return Principal.CONTROL;
    }
    throw Authenticator.failed();
  }
}
