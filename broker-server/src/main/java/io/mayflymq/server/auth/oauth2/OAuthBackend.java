package io.mayflymq.server.auth.oauth2;

import com.nimbusds.jwt.SignedJWT;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AuthBackend;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginAttempt;
import io.mayflymq.server.auth.LoginState;
import io.mayflymq.server.config.AuthBackendKeys;
import io.mayflymq.server.config.OAuthSettings;
import io.mayflymq.server.config.OAuthSettings.ResourceServer;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Users who log in by a token: their names, tags and rights are in it. The password of a login is
 * the token, and the name that the client gives does not count.
 */
final class OAuthBackend implements AuthBackend {
  private static final String UNKNOWN = "unknown";
  private static final int LONGEST_NAME = 255;
  private static final long LAST_SECOND = 253_402_300_799L; // of the year 9999

  private final OAuthSettings settings;
  private final Map<String, ProviderKeys> keys;
  private final InstantSource clock;

  /**
   * @param keys of the providers, by name
   * @param clock the time of the machine, by which tokens expire
   */
  OAuthBackend(OAuthSettings settings, Map<String, ProviderKeys> keys, InstantSource clock) {
    this.settings = settings;
    this.keys = Map.copyOf(keys);
    this.clock = clock;
  }

  @Override
  public String name() {
    return AuthBackendKeys.OAUTH2;
  }

  @Override
  public boolean takesTokens() {
    return true;
  }

  // Logging in

  @Override
  public CompletableFuture<Answer> authenticate(LoginAttempt attempt) {
    if (attempt.password() == null) {
      return refused("there is no token");
    }
    SignedJWT token;
    Map<String, Object> claims;
    try {
      token = SignedJWT.parse(attempt.password());
      claims = token.getPayload().toJSONObject();
    } catch (ParseException e) {
      return refused("the password is no token (JWT)");
    }
    try {
      if (claims == null) {
        throw new TokenException("the token has no claims");
      }
      ResourceServer server = server(claims);
      ProviderKeys provider = keys.get(server.provider());
      return provider
          .check(token)
          .handle(
              (done, error) ->
                  error == null ? answer(server, provider, claims) : failure(Causes.of(error)));
    } catch (TokenException e) {
      return refused(e.getMessage());
    }
  }

  /** The token is the same, whatever else has let the user in. */
  @Override
  public CompletableFuture<Answer> recognize(LoginAttempt attempt) {
    return authenticate(attempt);
  }

  private static CompletableFuture<Answer> refused(String reason) {
    return CompletableFuture.completedFuture(Answer.refused(reason));
  }

  private static Answer failure(Throwable error) {
    return error instanceof TokenException
        ? Answer.refused(error.getMessage())
        : Answer.failed(error.getClass().getSimpleName());
  }

  /** Returns the resource server that a token is for, by its claim {@code aud}. */
  private ResourceServer server(Map<String, Object> claims) throws TokenException {
    if (settings.servers().size() == 1 && !settings.servers().get(0).verifiesAudience()) {
      return settings.servers().get(0);
    }
    List<String> audience =
        claims.get("aud") instanceof Collection<?> many
            ? many.stream().map(String::valueOf).toList()
            : claims.get("aud") instanceof String one ? List.of(one.split(" ")) : List.of();
    List<ResourceServer> named =
        settings.servers().stream().filter(server -> audience.contains(server.id())).toList();
    if (named.size() == 1) {
      return named.get(0);
    }
    throw new TokenException(
        "the token is for %s (aud), expected %s"
            .formatted(
                audience,
                settings.servers().stream().map(ResourceServer::id).toList()
                    + (named.isEmpty() ? "" : ", one of them only")));
  }

  private Answer answer(ResourceServer server, ProviderKeys provider, Map<String, Object> claims) {
    try {
      requireIssuer(server, provider, claims);
      long expiresMillis = expiresMillis(server, claims);
      requireBegun(claims);
      TokenScopes scopes = TokenScopes.of(claims, server);
      return Answer.allowed(
          username(server, claims),
          scopes.tags(),
          new LoginState(expiresMillis, scopes.scopes(), null));
    } catch (TokenException e) {
      return Answer.refused(e.getMessage());
    }
  }

  /** Some providers call themselves otherwise than the URL at which they describe themselves. */
  private void requireIssuer(
      ResourceServer server, ProviderKeys provider, Map<String, Object> claims)
      throws TokenException {
    URI configured = settings.providers().get(server.provider()).issuer().orElse(null);
    Object issuer = claims.get("iss");
    if (configured == null || issuer == null) {
      return;
    }
    boolean matches =
        Stream.of(configured.toString(), String.valueOf(provider.issuer()))
            .anyMatch(each -> withoutSlash(each).equals(withoutSlash(issuer.toString())));
    if (!matches) {
      throw new TokenException(
          "the token is from '%s' (iss), expected '%s'".formatted(issuer, configured));
    }
  }

  private static String withoutSlash(String url) {
    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  private long expiresMillis(ResourceServer server, Map<String, Object> claims)
      throws TokenException {
    if (claims.get("exp") == null && !server.requiresExpiry()) {
      return LoginState.NEVER;
    }
    long expires = seconds(claims, "exp");
    long end = TimeUnit.SECONDS.toMillis(expires + settings.toleranceSeconds());
    if (clock.millis() >= end) {
      throw new TokenException(
          "the token has expired at %d (exp), and it is %d"
              .formatted(expires, clock.instant().getEpochSecond()));
    }
    return end;
  }

  private void requireBegun(Map<String, Object> claims) throws TokenException {
    if (claims.get("nbf") != null) {
      long begins = seconds(claims, "nbf");
      long now = clock.instant().getEpochSecond();
      if (now + settings.toleranceSeconds() < begins) {
        throw new TokenException(
            "the token counts from %d on (nbf), and it is %d".formatted(begins, now));
      }
    }
  }

  private static long seconds(Map<String, Object> claims, String name) throws TokenException {
    Object value = claims.get(name);
    if (value instanceof Number number
        && number.doubleValue() >= 0
        && number.doubleValue() <= LAST_SECOND) {
      return number.longValue();
    }
    throw new TokenException(
        "the token has %s in its claim %s, expected a number of seconds"
            .formatted(value == null ? "nothing" : value, name));
  }

  private static String username(ResourceServer server, Map<String, Object> claims)
      throws TokenException {
    List<String> names =
        server.usernameClaims().isEmpty() ? List.of("sub", "client_id") : server.usernameClaims();
    for (String name : names) {
      if (claims.get(name) instanceof String value && !value.isEmpty()) {
        if (value.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME
            || value.chars().anyMatch(Character::isISOControl)) {
          throw new TokenException(
              "the claim %s is no name of a user: expected at most %d bytes without control characters"
                  .formatted(name, LONGEST_NAME));
        }
        return value;
      }
    }
    return UNKNOWN;
  }

  // Rights

  @Override
  public CompletableFuture<Answer> enter(
      AuthenticatedUser user, String vhost, InetAddress address) {
    return CompletableFuture.completedFuture(
        isOver(user)
            ? Answer.refused("the token has expired")
            : mayEnter(user, vhost)
                ? Answer.ALLOWED
                : Answer.refused("the token has no scope for this virtual host"));
  }

  private boolean isOver(AuthenticatedUser user) {
    return clock.millis() >= user.state().expiresMillis();
  }

  private static boolean mayEnter(AuthenticatedUser user, String vhost) {
    return user.state().facts().stream()
        .anyMatch(scope -> Scope.of(scope).filter(each -> each.isAbout(vhost)).isPresent());
  }

  @Override
  public VhostAccess access(AuthenticatedUser user, String vhost) {
    if (isOver(user) || !mayEnter(user, vhost)) {
      throw VhostAccess.noEntrance(user.name(), vhost, "");
    }
    return new TokenAccess(user, vhost);
  }

  /** The connection logs what was refused; that the token does not permit it is no news. */
  @Override
  public String refused(String refusal, Answer answer) {
    return "";
  }
}
