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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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

  /** What is asked by HTTP; null if no service is configured, as are the next three. */
  private final AuthService service;

  private final AnswerCache cache;
  private final ServiceBackend http;
  private final ServiceBackend cached;
  private final List<Link> links;
  private final AtomicInteger cleared = new AtomicInteger();

  private AuthChain(AuthSettings settings, AccessControl control, AuthService service) {
    this.control = control;
    this.internal = new InternalBackend(control);
    this.service = service;
    this.cache = service == null ? null : cache(settings.cache(), service);
    this.http = asking(AuthBackendKeys.HTTP, service, settings);
    this.cached = asking(AuthBackendKeys.CACHE, cache, settings);
    this.links =
        settings.backends().stream()
            .map(
                entry ->
                    new Link(
                        backend(entry.authn(), settings.cache().authn()),
                        backend(entry.authz(), settings.cache().authz())))
            .toList();
  }

  /**
   * Makes the chain of a configuration.
   *
   * @param control the users and permissions of the broker itself
   * @param http the service that is asked by HTTP; null if the configuration has none
   */
  public static AuthChain of(AuthSettings settings, AccessControl control, AuthService http) {
    return new AuthChain(settings, control, http);
  }

  private static AnswerCache cache(AuthCacheSettings kept, AuthService service) {
    return new AnswerCache(
        service,
        kept.ttlMillis(),
        kept.keepsRefusals(),
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  private ServiceBackend asking(String name, AuthService asked, AuthSettings settings) {
    return asked == null
        ? null
        : new ServiceBackend(name, asked, settings.http().discloses(), cleared::get);
  }

  /**
   * @param behind what the cache is before; the broker's own answers need none
   */
  private AuthBackend backend(String name, String behind) {
    return switch (name) {
      case AuthBackendKeys.HTTP -> http;
      case AuthBackendKeys.CACHE -> behind.equals(AuthBackendKeys.HTTP) ? cached : internal;
      default -> internal;
    };
  }

  /**
   * Logs a user in.
   *
   * @param address where the client connects from
   * @return never fails
   */
  public CompletableFuture<LoginResult> login(LoginAttempt attempt, InetAddress address) {
    return ask(attempt, 0, List.of()).thenApply(result -> locate(result, address));
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

  private CompletableFuture<LoginResult> ask(
      LoginAttempt attempt, int index, List<String> reasons) {
    if (index == links.size()) {
      return CompletableFuture.completedFuture(
          new LoginResult.Refused(new Refused(attempt.username(), String.join("; ", reasons))));
    }
    Link link = links.get(index);
    return link.authn()
        .authenticate(attempt)
        .thenCompose(
            answer -> {
              if (!answer.isAllowed()) {
                return next(attempt, index, reasons, link.authn(), answer);
              }
              return link.authz() == link.authn()
                  ? CompletableFuture.completedFuture(accepted(attempt, link, answer, answer))
                  : recognize(attempt, index, reasons, answer);
            });
  }

  private CompletableFuture<LoginResult> recognize(
      LoginAttempt attempt, int index, List<String> reasons, Answer authenticated) {
    Link link = links.get(index);
    return link.authz()
        .recognize(attempt)
        .thenCompose(
            answer ->
                answer.isAllowed()
                    ? CompletableFuture.completedFuture(
                        accepted(attempt, link, authenticated, answer))
                    : next(attempt, index, reasons, link.authz(), answer));
  }

  private CompletableFuture<LoginResult> next(
      LoginAttempt attempt, int index, List<String> reasons, AuthBackend by, Answer answer) {
    String reason = reason(attempt, by, answer);
    List<String> all = new ArrayList<>(reasons);
    all.add(links.size() == 1 && by == internal ? reason : by.name() + ": " + reason);
    return ask(attempt, index + 1, all);
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
            attempt.username(), List.copyOf(tags), List.copyOf(given), link.authz().name()));
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

  /** Another node may have a backend that this one does not have: then all is refused. */
  private AuthBackend authorizer(AuthenticatedUser user) {
    AuthBackend found =
        switch (user.authorizer()) {
          case AuthBackendKeys.HTTP -> http;
          case AuthBackendKeys.CACHE -> cached;
          default -> internal;
        };
    return found == null ? ABSENT : found;
  }

  /**
   * Forgets the answers of services that are kept, in the cache and by open connections.
   *
   * @param user about whom; null for all users
   */
  public void forget(String user) {
    if (cache != null) {
      cache.clear(user);
    }
    cleared.incrementAndGet();
  }

  /** Asks services no more. */
  @Override
  public void close() {
    if (service != null) {
      service.close();
    }
  }
}
