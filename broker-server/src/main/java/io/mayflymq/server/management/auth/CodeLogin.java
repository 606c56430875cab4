package io.mayflymq.server.management.auth;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.auth.LoginAttempt;
import io.mayflymq.server.auth.LoginResult;
import io.mayflymq.server.auth.oauth2.AuthorizationCode;
import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.netty.util.NetUtil;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The login of the management page at a provider: {@link #BEGIN} sends the browser there, and it
 * comes back to {@link #CALLBACK} with a code, for which the broker gets the token that begins a
 * session. The token itself never reaches the browser. A cookie ties the two to one browser, so
 * that a link cannot log a user in as another one. All other requests are passed on. Any thread may
 * call.
 *
 * <p>Source of the path that providers know: RabbitMQ 4.3.6, rabbitmq_management.
 */
public final class CodeLogin implements HttpService {
  /**
   * Where a login begins; {@code page} is the URL of the management page, as the browser has it.
   */
  static final String BEGIN = "/login/oauth2";

  /** Where the provider sends the browser back to: it has to know this URL. */
  static final String CALLBACK = "/js/oidc-oauth/login-callback.html";

  private static final Logger LOGGER = LoggerFactory.getLogger(CodeLogin.class);

  private static final int MOST = 1_000;
  private static final long MOST_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final Pattern UNPRINTABLE = Pattern.compile("[^\\p{Print}]");
  private static final int LONGEST_REASON = 200;

  /** What is told on the page; the reason is in the log only. */
  private enum Outcome {
    /** The provider, or the broker, has refused the user. */
    REFUSED,
    /** The user may not use the management API. */
    TAGS,
    /** The provider could not be asked. */
    FAILED,
    /** The login was begun by another browser, or too long ago. */
    OVER
  }

  /**
   * A login that has begun.
   *
   * @param browser the value of the cookie
   */
  private record Begun(String verifier, String browser, URI page, long endMillis) {
    URI redirect() {
      return page.resolve(CALLBACK.substring(1));
    }
  }

  private final HttpService next;
  private final AuthorizationCode provider;
  private final AuthChain logins;
  private final LoginSessions sessions;
  private final InstantSource clock;

  /** By their states, the earliest first. Guarded by itself. */
  private final LinkedHashMap<String, Begun> begun = new LinkedHashMap<>();

  /**
   * @param next answers all other requests
   * @param provider where users log in
   * @param logins who they are, by their tokens
   * @param sessions what a login begins
   */
  public CodeLogin(
      HttpService next,
      AuthorizationCode provider,
      AuthChain logins,
      LoginSessions sessions,
      InstantSource clock) {
    this.next = next;
    this.provider = provider;
    this.logins = logins;
    this.sessions = sessions;
    this.clock = clock;
  }

  @Override
  public Admission admit(RequestHead head) {
    boolean isOurs = head.path().equals(BEGIN) || head.path().equals(CALLBACK);
    if (!isOurs) {
      return next.admit(head);
    }
    if (!head.method().equals("GET")) {
      return new Admission.Refused(HttpResponse.empty(405, Map.of("allow", "GET")));
    }
    Map<String, String> query = Request.parseQuery(head.query());
    CompletableFuture<HttpResponse> answer =
        head.path().equals(BEGIN) ? begin(head, query) : back(head, query);
    return new Admission.Deferred(answer.thenApply(Admission.Refused::new));
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return next.refusal(status, error, reason);
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    return next.failure(head, thrown);
  }

  // To the provider

  private CompletableFuture<HttpResponse> begin(RequestHead head, Map<String, String> query) {
    URI page = page(head, query.get("page"));
    String state = SessionToken.random();
    Begun login =
        new Begun(SessionToken.random(), SessionToken.random(), page, clock.millis() + MOST_MILLIS);
    synchronized (begun) {
      Iterator<Begun> earliest = begun.values().iterator();
      while (earliest.hasNext()
          && (earliest.next().endMillis() <= clock.millis() || begun.size() >= MOST)) {
        earliest.remove();
      }
      begun.put(state, login);
    }
    return provider
        .page(state, login.verifier(), login.redirect())
        .handle(
            (at, error) -> {
              if (error != null) {
                return ended(head, page, Outcome.FAILED, Causes.of(error).getMessage());
              }
              return redirect(
                  at.toString(),
                  BrowserCookie.CODE_LOGIN.set(head.headers(), head.encrypted(), login.browser()));
            });
  }

  /**
   * Checks the URL of the page: only the browser knows it, as a proxy may be in between. Its host
   * has to be the one that was asked.
   */
  private static URI page(RequestHead head, String text) {
    String host = head.header("host");
    try {
      URI page = new URI(text == null ? "" : text);
      boolean isWeb = "http".equals(page.getScheme()) || "https".equals(page.getScheme());
      if (isWeb
          && host != null
          && host.strip().equalsIgnoreCase(page.getRawAuthority())
          && page.getRawPath().endsWith("/")
          && page.getRawQuery() == null
          && page.getRawFragment() == null) {
        return page;
      }
    } catch (URISyntaxException e) {
      // told below
    }
    throw ApiException.badRequest(
        "page: expected the URL of the management page on %s, found '%s'".formatted(host, text));
  }

  // And back

  private CompletableFuture<HttpResponse> back(RequestHead head, Map<String, String> query) {
    Begun login = remove(query.get("state"));
    String browser = BrowserCookie.CODE_LOGIN.token(head.headers(), head.encrypted());
    if (login == null || !login.browser().equals(browser)) {
      return CompletableFuture.completedFuture(
          ended(head, null, Outcome.OVER, "no login with this state was begun by this browser"));
    }
    String code = query.get("code");
    if (code == null) {
      String reason =
          "the provider answered %s: %s"
              .formatted(query.get("error"), query.get("error_description"));
      return CompletableFuture.completedFuture(ended(head, login.page(), Outcome.REFUSED, reason));
    }
    return provider
        .token(code, login.verifier(), login.redirect())
        .thenCompose(
            token -> logins.loginToApi(LoginAttempt.token(token), head.peer().getAddress()))
        .handle(
            (result, error) ->
                error == null
                    ? loggedIn(head, login.page(), result)
                    : ended(head, login.page(), Outcome.FAILED, Causes.of(error).getMessage()));
  }

  private Begun remove(String state) {
    synchronized (begun) {
      Begun found = state == null ? null : begun.remove(state);
      return found == null || found.endMillis() <= clock.millis() ? null : found;
    }
  }

  private HttpResponse loggedIn(RequestHead head, URI page, LoginResult result) {
    if (result instanceof LoginResult.Refused refused) {
      return ended(head, page, Outcome.REFUSED, refused.refusal().reason());
    }
    Principal principal =
        Principal.of(((LoginResult.Accepted) result).user(), head.peer().getAddress());
    if (!principal.mayManage()) {
      return ended(
          head, page, Outcome.TAGS, "user '%s' has no tag for it".formatted(principal.user()));
    }
    String session = sessions.begin(principal);
    return redirect(
        page.toString(), BrowserCookie.SESSION.set(head.headers(), head.encrypted(), session));
  }

  /** The page tells the user. */
  private static HttpResponse ended(RequestHead head, URI page, Outcome outcome, String reason) {
    String printable = UNPRINTABLE.matcher(String.valueOf(reason)).replaceAll("?");
    LOGGER.warn(
        "HTTP {}: no login to the management page: {}",
        NetUtil.toSocketAddressString(head.peer()),
        printable.length() > LONGEST_REASON
            ? printable.substring(0, LONGEST_REASON) + "..."
            : printable);
    String query = "?login=" + outcome.name().toLowerCase(Locale.ROOT);
    return redirect(page == null ? "../../" + query : page + query, null);
  }

  private static HttpResponse redirect(String location, String cookie) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("location", location);
    headers.put("cache-control", "no-store");
    headers.put("referrer-policy", "no-referrer");
    if (cookie != null) {
      headers.put("set-cookie", cookie);
    }
    return HttpResponse.empty(302, headers);
  }
}
