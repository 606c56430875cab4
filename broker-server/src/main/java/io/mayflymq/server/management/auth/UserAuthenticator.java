package io.mayflymq.server.management.auth;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.LoginAttempts;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.auth.LoginAttempt;
import io.mayflymq.server.auth.LoginResult;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.Principal;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates users by their passwords, with HTTP's basic authentication, or by tokens (RFC
 * 6750). Failed logins delay further ones as with AMQP; both count together.
 */
public final class UserAuthenticator implements Authenticator {
  private static final Logger LOGGER = LoggerFactory.getLogger(UserAuthenticator.class);
  private static final String BASIC = "basic ";
  private static final String BEARER = "bearer ";

  /** An unknown user name may contain any character, but must not break a line of the log. */
  private static final Pattern CONTROL_CHARACTERS = Pattern.compile("\\p{Cntrl}");

  private final AuthChain logins;
  private final AccessControl accessControl;
  private final AuthAttempts attempts;
  private final boolean refusesPasswords;

  /**
   * @param logins who users are
   * @param attempts counts logins
   * @param refusesPasswords whether only tokens count
   */
  public UserAuthenticator(
      AuthChain logins,
      AccessControl accessControl,
      AuthAttempts attempts,
      boolean refusesPasswords) {
    this.refusesPasswords = refusesPasswords;
    this.logins = logins;
    this.accessControl = accessControl;
    this.attempts = attempts;
  }

  @Override
  public Login authenticate(RequestHead head) {
    String header = head.header("authorization");
    InetSocketAddress peer = head.peer();
    if (header == null) {
      return new Login.Missing();
    }
    LoginAttempt attempt = attempt(header);
    if (attempt == null) {
      attempts.failed();
      accessControl.attempts().count(LoginAttempts.Protocol.HTTP, false);
      return new Login.Refused(0);
    }
    CompletableFuture<LoginResult> result = logins.loginToApi(attempt, peer.getAddress());
    return result.isDone()
        ? ended(result.join(), peer)
        : new Login.Awaited(result.thenApply(later -> ended(later, peer)));
  }

  private Login ended(LoginResult result, InetSocketAddress peer) {
    accessControl
        .attempts()
        .count(LoginAttempts.Protocol.HTTP, result instanceof LoginResult.Accepted);
    if (result instanceof LoginResult.Refused refused) {
      attempts.failed();
      LOGGER.warn(
          "HTTP {}: access denied: {}",
          NetUtil.toSocketAddressString(peer),
          CONTROL_CHARACTERS.matcher(refused.refusal().reason()).replaceAll("?"));
      return new Login.Refused(refused.refusal().pauseMillis());
    }
    attempts.succeeded();
    return new Login.Accepted(
        Principal.of(((LoginResult.Accepted) result).user(), peer.getAddress()));
  }

  /** Returns null if the header is of a kind that does not count, or malformed. */
  private LoginAttempt attempt(String header) {
    if (header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return LoginAttempt.token(header.substring(BEARER.length()).strip());
    }
    Credentials credentials = refusesPasswords ? null : basic(header);
    return credentials == null ? null : LoginAttempt.of(credentials);
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
