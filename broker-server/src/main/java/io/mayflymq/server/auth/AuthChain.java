package io.mayflymq.server.auth;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.server.config.AuthBackendKeys;
import io.mayflymq.server.config.AuthCacheSettings;
import io.mayflymq.server.config.AuthSettings;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The backends by which users log in, in their order. The first one that accepts a login decides
 * all rights of that connection; one that refuses or fails leaves the login to the next. Any thread
 * may call. No thread waits: what a service is asked for is in a future, which is done on any
 * thread.
 */
public final class AuthChain implements AutoCloseable {
  /**
   * A link of the chain.
   *
   * @param authn what checks the password
   * @param authz what decides which rights the user has
   */
  private record Link(AuthBackend authn, AuthBackend authz) {}

  private static final AuthBackend ABSENT =
      new ServiceBackend(
          "absent",
          question ->
              CompletableFuture.completedFuture(
                  Answer.failed("this node has no service that could be asked")),
          false,
          () -> 0);

  private final AccessControl control;
  private final AuthBackend internal;

  /** The backends but the cache, by their names in the configuration. */
  private final Map<String, AuthBackend> backends = new HashMap<>();

  private final Map<String, AnswerCache> caches = new HashMap<>();
  private final Map<String, AuthBackend> cached = new HashMap<>();
  private final AuthCacheSettings cacheSettings;
  private final List<Link> links;

  /** Of users of the management API. */
  private final List<Link> apiLinks;

  private final AtomicInteger cleared = new AtomicInteger();

  /**
   * Makes the chain of a configuration, which closes the services.
   *
   * @param control the users and permissions of the broker itself
   * @param services what is asked about users, by the name of its backend
   * @param others further backends
   */
  public AuthChain(
      AuthSettings settings,
      AccessControl control,
      Map<String, AuthService> services,
      List<AuthBackend> others) {
    this.control = control;
    this.internal = new InternalBackend(control);
    this.cacheSettings = settings.cache();
    backends.put(internal.name(), internal);
    others.forEach(backend -> backends.put(backend.name(), backend));
    services.forEach(
        (name, service) -> {
          AnswerCache cache = cache(service);
          caches.put(name, cache);
          boolean discloses = name.equals(AuthBackendKeys.HTTP) && settings.http().discloses();
          cached.put(name, asking(AuthBackendKeys.CACHE, cache, discloses));
          backends.put(name, asking(name, service, discloses));
        });
    this.links = links(settings.backends());
    this.apiLinks = links(settings.apiBackends());
  }

  private List<Link> links(List<AuthSettings.Backend> entries) {
    return entries.stream()
        .map(
            entry ->
                new Link(
                    backend(entry.authn(), cacheSettings.authn()),
                    backend(entry.authz(), cacheSettings.authz())))
        .toList();
  }

  private AnswerCache cache(AuthService service) {
    return new AnswerCache(
        service,
        cacheSettings.ttlMillis(),
        cacheSettings.keepsRefusals(),
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  private ServiceBackend asking(String name, AuthService asked, boolean discloses) {
    return new ServiceBackend(name, asked, discloses, cleared::get);
  }

  /**
   * Returns a backend of the configuration. Another node may have one that this one does not have:
   * that refuses all.
   *
   * @param behind what the cache is before; the broker's own answers need none
   */
  private AuthBackend backend(String name, String behind) {
    return name.equals(AuthBackendKeys.CACHE)
        ? cached.getOrDefault(behind, behind.equals(internal.name()) ? internal : ABSENT)
        : backends.getOrDefault(name, ABSENT);
  }

  /**
   * Logs a user of a connection in.
   *
   * @param address where the client connects from
   * @return never fails
   */
  public CompletableFuture<LoginResult> login(LoginAttempt attempt, InetAddress address) {
    return ask(attempt, links, List.of()).thenApply(result -> locate(result, address));
  }

  /**
   * Logs a user of the management API in, for which there may be other backends.
   *
   * @param address where the client connects from
   * @return never fails
   */
  public CompletableFuture<LoginResult> loginToApi(LoginAttempt attempt, InetAddress address) {
    return ask(attempt, apiLinks, List.of()).thenApply(result -> locate(result, address));
  }

  /**
   * Logs a user of the broker itself in whose name a part of the broker has proved.
   *
   * @return never fails
   */
  public CompletableFuture<LoginResult> loginInternal(String name, InetAddress address) {
    LoginAttempt attempt = LoginAttempt.proved(name);
    return internal
        .recognize(attempt)
        .thenApply(
            answer ->
                locate(
                    answer.isAllowed()
                        ? accepted(attempt, new Link(internal, internal), answer, answer)
                        : new LoginResult.Refused(new Refused(name, answer.reason())),
                    address));
  }

  /**
   * Logs a user in again with a newer token, while the connection stays open.
   *
   * @return the user as of that token, who may be another one; the same user if the login was not
   *     by a token. Never fails.
   */
  public CompletableFuture<LoginResult> renew(AuthenticatedUser user, String secret) {
    Link link = new Link(backend(user.authenticator(), cacheSettings.authn()), authorizer(user));
    if (!link.authn().takesTokens() && !link.authz().takesTokens()) {
      return CompletableFuture.completedFuture(new LoginResult.Accepted(user));
    }
    LoginAttempt attempt = new LoginAttempt(user.name(), secret);
    CompletableFuture<Answer> authenticated =
        link.authn().takesTokens()
            ? link.authn().authenticate(attempt)
            : CompletableFuture.completedFuture(Answer.allowed(user.tags()));
    return authenticated.thenCompose(
        answer -> {
          if (!answer.isAllowed() || link.authn() == link.authz()) {
            return CompletableFuture.completedFuture(renewed(attempt, link, answer, answer));
          }
          return link.authz()
              .recognize(attempt.as(name(attempt, answer)))
              .thenApply(authorized -> renewed(attempt, link, answer, authorized));
        });
  }

  private LoginResult renewed(
      LoginAttempt attempt, Link link, Answer authenticated, Answer authorized) {
    return authorized.isAllowed()
        ? accepted(attempt, link, authenticated, authorized)
        : new LoginResult.Refused(new Refused(attempt.username(), authorized.reason()));
  }

  /**
   * Asks one backend after the other.
   *
   * @param left those that have not been asked
   * @param reasons why those before them have not let the user in
   */
  private CompletableFuture<LoginResult> ask(
      LoginAttempt attempt, List<Link> left, List<String> reasons) {
    if (left.isEmpty()) {
      return CompletableFuture.completedFuture(
          new LoginResult.Refused(new Refused(attempt.username(), String.join("; ", reasons))));
    }
    Link link = left.get(0);
    if (attempt.isToken() && !link.authn().takesTokens()) {
      return next(attempt, left, reasons, link.authn(), Answer.refused("it takes no tokens"));
    }
    return link.authn()
        .authenticate(attempt)
        .thenCompose(
            answer -> {
              if (!answer.isAllowed()) {
                return next(attempt, left, reasons, link.authn(), answer);
              }
              return link.authz() == link.authn()
                  ? CompletableFuture.completedFuture(accepted(attempt, link, answer, answer))
                  : recognize(attempt, left, reasons, answer);
            });
  }

  private CompletableFuture<LoginResult> recognize(
      LoginAttempt attempt, List<Link> left, List<String> reasons, Answer authenticated) {
    Link link = left.get(0);
    return link.authz()
        .recognize(attempt.as(name(attempt, authenticated)))
        .thenCompose(
            answer ->
                answer.isAllowed()
                    ? CompletableFuture.completedFuture(
                        accepted(attempt, link, authenticated, answer))
                    : next(attempt, left, reasons, link.authz(), answer));
  }

  private CompletableFuture<LoginResult> next(
      LoginAttempt attempt, List<Link> left, List<String> reasons, AuthBackend by, Answer answer) {
    String reason = reason(attempt, by, answer);
    boolean isOnlyOne = reasons.isEmpty() && left.size() == 1;
    List<String> all = new ArrayList<>(reasons);
    all.add(isOnlyOne && by == internal ? reason : by.name() + ": " + reason);
    return ask(attempt, left.subList(1, left.size()), all);
  }

  /** Those of the broker itself name the user already. */
  private String reason(LoginAttempt attempt, AuthBackend by, Answer answer) {
    if (by == internal) {
      return answer.reason();
    }
    String why = answer.reason().isEmpty() ? "" : ": " + answer.reason();
    return answer.kind() == Answer.Kind.FAILED
        ? "user '%s' - no answer%s".formatted(attempt.username(), why)
        : "user '%s' - refused%s".formatted(attempt.username(), why);
  }

  /** The first of the two backends says what the user is called. */
  private LoginResult accepted(
      LoginAttempt attempt, Link link, Answer authenticated, Answer authorized) {
    Set<String> tags = new LinkedHashSet<>(authenticated.tags());
    tags.addAll(authorized.tags());
    Set<String> given = new LinkedHashSet<>();
    if (link.authn() != internal) {
      given.addAll(authenticated.tags());
    }
    if (link.authz() != internal) {
      given.addAll(authorized.tags());
    }
    return new LoginResult.Accepted(
        new AuthenticatedUser(
            name(attempt, authenticated),
            List.copyOf(tags),
            List.copyOf(given),
            link.authn().name(),
            link.authz().name(),
            authorized.state().until(authenticated.state().expiresMillis())));
  }

  private static String name(LoginAttempt attempt, Answer authenticated) {
    return authenticated.username() == null ? attempt.username() : authenticated.username();
  }

  private LoginResult locate(LoginResult result, InetAddress address) {
    if (result instanceof LoginResult.Refused refused) {
      return new LoginResult.Refused((Refused) control.locate(refused.refusal(), address));
    }
    String name = ((LoginResult.Accepted) result).user().name();
    Refused elsewhere = control.refusalOf(name, address);
    return elsewhere == null ? result : new LoginResult.Refused(elsewhere);
  }

  /**
   * Decides whether a user may enter a virtual host, which exists. A refusal is logged, if its
   * reason is known.
   *
   * @param address of the client; null if it is not known
   * @return never fails; null if the user may enter, else 530 NOT_ALLOWED with RabbitMQ's text
   */
  public CompletableFuture<ConnectionException> enter(
      AuthenticatedUser user, String vhost, InetAddress address) {
    AuthBackend authorizer = authorizer(user);
    return authorizer
        .enter(user, vhost, address)
        .thenApply(
            answer -> {
              if (answer.isAllowed()) {
                return null;
              }
              String text =
                  "access to vhost '%s' refused for user '%s'".formatted(vhost, user.name());
              return VhostAccess.noEntrance(user.name(), vhost, authorizer.refused(text, answer));
            });
  }

  /**
   * Returns whether a user may enter a virtual host, without a line in the log if not.
   *
   * @param address of the client; null if it is not known
   * @return never fails
   */
  public CompletableFuture<Boolean> mayEnter(
      AuthenticatedUser user, String vhost, InetAddress address) {
    return authorizer(user).enter(user, vhost, address).thenApply(Answer::isAllowed);
  }

  /**
   * Returns what a user may do in a virtual host that the user may enter; for one thread.
   *
   * @throws ConnectionException 530 NOT_ALLOWED if the user may not enter it any more
   */
  public VhostAccess access(AuthenticatedUser user, String vhost) {
    return authorizer(user).access(user, vhost);
  }

  private AuthBackend authorizer(AuthenticatedUser user) {
    return backend(user.authorizer(), cacheSettings.authz());
  }

  /** Returns how services have answered, by the names of their backends; empty if there is none. */
  public Map<String, AnswerCounts> answers() {
    Map<String, AnswerCounts> answers = new TreeMap<>();
    Stream.concat(links.stream(), apiLinks.stream())
        .flatMap(link -> Stream.of(link.authn(), link.authz()))
        .forEach(
            backend -> {
              if (backend instanceof ServiceBackend service && service != ABSENT) {
                answers.put(service.name(), service.answers());
              }
            });
    return answers;
  }

  /**
   * Forgets the answers of services that are kept, in the cache and by open connections.
   *
   * @param user about whom; null for all users
   */
  public void forget(String user) {
    caches.values().forEach(cache -> cache.clear(user));
    cleared.incrementAndGet();
  }

  /** Asks services no more. */
  @Override
  public void close() {
    caches.values().forEach(AnswerCache::close);
  }
}
