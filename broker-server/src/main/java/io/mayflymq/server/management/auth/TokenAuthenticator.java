package io.mayflymq.server.management.auth;

import io.mayflymq.core.security.LoginThrottle;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.Principal;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates requests with the token of the control file from this machine, and users by their
 * passwords.
 */
public final class TokenAuthenticator implements Authenticator {
  private static final String BEARER = "bearer ";

  private static final Logger LOGGER = LoggerFactory.getLogger(TokenAuthenticator.class);

  private final LoginThrottle throttle = new LoginThrottle();
  private final InstantSource clock = InstantSource.system();
  private final byte[] token;
  private final Supplier<Authenticator> users;

  public TokenAuthenticator(String token, Supplier<Authenticator> users) {
    this.token = token.getBytes(StandardCharsets.US_ASCII);
    this.users = users;
  }

  @Override
  public Login authenticate(RequestHead head) {
    String header = head.header("authorization");
    InetSocketAddress peer = head.peer();
    if (header == null) {
      return new Login.Missing();
    }
    if (!header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return users.get().authenticate(head);
    }
    byte[] given = header.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8);
    if (peer.getAddress().isLoopbackAddress() && MessageDigest.isEqual(given, token)) {
      return new Login.Accepted(Principal.CONTROL);
    }
    LOGGER.warn(
        "HTTP {}: access denied: the token is not the one of the control file",
        NetUtil.toSocketAddressString(peer));
    return new Login.Refused(throttle.failed(peer.getAddress(), clock.millis()));
  }
}
