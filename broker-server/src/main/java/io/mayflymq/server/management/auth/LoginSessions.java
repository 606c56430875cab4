package io.mayflymq.server.management.auth;

import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
import io.mayflymq.server.management.api.Principal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The sessions of the management page. A session belongs to a user and ends when it was not used
 * for half an hour, eight hours after its login, at the logout, when the user is deleted or has
 * another password, and with the process. That of a user whom a service knows ends an hour after
 * its login, and that of a token when the token expires.
 *
 * <p>Sessions are in memory only, and keyed by a hash of their tokens: a heap dump gives no token
 * away. Their number is limited, in total and for each user; at a limit a new one replaces the one
 * that was not used for longest. No timer runs: what has ended is removed by the next login, and is
 * not found before.
 */
public final class LoginSessions {
  /** How long a session lasts without a request, in ms. */
  public static final long IDLE_MILLIS = 30 * 60_000L;

  /** How long a session lasts at most, in ms. */
  public static final long LONGEST_MILLIS = 8 * 3_600_000L;

  /** The same for a user whom a service knows: it is not asked again whether it still does. */
  public static final long LONGEST_OF_SERVICE_MILLIS = 3_600_000L;

  static final int MOST = 1_000;
  static final int MOST_OF_USER = 20;

  private static final class Session {
    final Principal principal;

    /** Null for a user whom a service knows. */
    final PasswordHash password;

    /** The tags that another backend than the broker has given. */
    final List<String> given;

    final long endMillis;
    long lastUseMillis;

    /**
     * @param user null for a user whom a service knows
     */
    Session(Principal principal, User user, long nowMillis) {
      this.principal = principal;
      this.password = user == null ? null : user.passwordHash();
      this.given = user == null ? List.of() : principal.login().given();
      this.endMillis =
          Math.min(
              principal.login().state().expiresMillis(),
              nowMillis + (user == null ? LONGEST_OF_SERVICE_MILLIS : LONGEST_MILLIS));
      this.lastUseMillis = nowMillis;
    }

    boolean isOver(long nowMillis) {
      return nowMillis >= endMillis || nowMillis - lastUseMillis >= IDLE_MILLIS;
    }

    /**
     * Returns the principal with the tags of now.
     *
     * @param user null for a user whom a service knows
     */
    Principal now(User user) {
      return user == null
          ? principal
          : principal.with(Stream.concat(user.tags().stream(), given.stream()).distinct().toList());
    }
  }

  private final Function<String, User> users;
  private final InstantSource clock;
  private final Supplier<String> tokens;
  private final Map<String, Session> byHash = new HashMap<>();

  /**
   * Creates an empty set of sessions.
   *
   * @param users returns the user of a name as it is now, or null
   * @param clock the time
   */
  public LoginSessions(Function<String, User> users, InstantSource clock) {
    this(users, clock, SessionToken::random);
  }

  LoginSessions(Function<String, User> users, InstantSource clock, Supplier<String> tokens) {
    this.users = users;
    this.clock = clock;
    this.tokens = tokens;
  }

  /**
   * Begins a session of a user who has logged in. Any thread may call.
   *
   * @return its token, the only copy
   * @throws NoSuchElementException if the broker does not know the user any more
   */
  public synchronized String begin(Principal principal) {
    User user = principal.isInternal() ? users.apply(principal.user()) : null;
    if (principal.isInternal() && user == null) {
      throw new NoSuchElementException("no user '%s'".formatted(principal.user()));
    }
    long now = clock.millis();
    byHash.values().removeIf(session -> session.isOver(now));
    List<Map.Entry<String, Session>> own =
        byHash.entrySet().stream()
            .filter(entry -> entry.getValue().principal.user().equals(principal.user()))
            .toList();
    if (own.size() >= MOST_OF_USER) {
      removeLeastUsed(own);
    } else if (byHash.size() >= MOST) {
      removeLeastUsed(List.copyOf(byHash.entrySet()));
    }
    String token = tokens.get();
    byHash.put(hash(token), new Session(principal, user, now));
    return token;
  }

  private void removeLeastUsed(List<Map.Entry<String, Session>> candidates) {
    candidates.stream()
        .min(Comparator.comparingLong(entry -> entry.getValue().lastUseMillis))
        .ifPresent(entry -> byHash.remove(entry.getKey()));
  }

  /**
   * Returns the user of a session, as the user is now, and counts as a use of the session. Any
   * thread may call.
   *
   * @return empty if there is no such session or it has ended
   */
  public synchronized Optional<Principal> principal(String token) {
    String hash = hash(token);
    Session session = byHash.get(hash);
    if (session == null) {
      return Optional.empty();
    }
    long now = clock.millis();
    User user = session.password == null ? null : users.apply(session.principal.user());
    boolean isGone =
        session.password != null && (user == null || !user.passwordHash().equals(session.password));
    if (session.isOver(now) || isGone) {
      byHash.remove(hash);
      return Optional.empty();
    }
    session.lastUseMillis = now;
    return Optional.of(session.now(user));
  }

  /** Ends a session, if there is one with this token. Any thread may call. */
  public synchronized void end(String token) {
    byHash.remove(hash(token));
  }

  /** Returns how many sessions there are, with those that have ended and were not removed yet. */
  synchronized int size() {
    return byHash.size();
  }

  private static String hash(String token) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has SHA-256
    }
  }
}
