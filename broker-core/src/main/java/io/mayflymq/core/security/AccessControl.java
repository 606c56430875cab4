package io.mayflymq.core.security;

import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.protocol.types.ConnectionException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Decides on logins and access, by the latest {@link SecurityState} that was published to it. Safe
 * to use from any thread, without locks; one owner publishes.
 */
public final class AccessControl {
  /** {@code loopback_users} as RabbitMQ has it: the well-known password works only from here. */
  public static final Set<String> DEFAULT_LOOPBACK_USERS = Set.of(SecurityState.DEFAULT_USER);

  private static final String BLANK_PASSWORD =
      "user '%s' attempted to log in with a blank password, which is prohibited by the internal"
          + " authN backend. To use TLS/x509 certificate-based authentication, see the"
          + " rabbitmq_auth_mechanism_ssl plugin and configure the client to use the EXTERNAL"
          + " authentication mechanism. Alternatively change the password for the user to be"
          + " non-blank.";

  /** Checked for unknown users, so that the time of an answer does not tell which names exist. */
  private static final PasswordHash UNKNOWN_USER = PasswordHash.of("unknown");

  private final InstantSource clock;
  private final LoginThrottle throttle = new LoginThrottle();
  private final LoginAttempts attempts = new LoginAttempts();
  private volatile Set<String> loopbackUsers;
  private volatile SecurityState state;

  /**
   * An access control that starts with a state.
   *
   * @param loopbackUsers names of the users who may connect from this machine only
   * @param clock the time, which failed logins are remembered for
   */
  public AccessControl(SecurityState state, Set<String> loopbackUsers, InstantSource clock) {
    this.state = Objects.requireNonNull(state, "state");
    this.loopbackUsers = Set.copyOf(loopbackUsers);
    this.clock = clock;
  }

  /** Returns how many logins there were; the callers of {@link #locate} count. */
  public LoginAttempts attempts() {
    return attempts;
  }

  /** The state that decides at the moment. */
  public SecurityState state() {
    return state;
  }

  /**
   * Publishes a new state, which applies from now on, also to connections that are already open.
   */
  public void publish(SecurityState next) {
    state = Objects.requireNonNull(next, "next");
  }

  /** Sets the users who may connect from this machine only, for future logins. */
  public void setLoopbackUsers(Set<String> names) {
    loopbackUsers = Set.copyOf(names);
  }

  /** Returns whether a user may connect from this machine only. */
  public boolean isLoopbackUser(String name) {
    return loopbackUsers.contains(name);
  }

  /** Checks a name and a password, from wherever they come. Hashes, so it takes microseconds. */
  public AuthenticationResult check(Credentials credentials) {
    String name = credentials.username();
    if (credentials.password().isEmpty()) {
      return new Refused(name, BLANK_PASSWORD.formatted(name));
    }
    User user = state.user(name);
    PasswordHash hash = user == null ? UNKNOWN_USER : user.passwordHash();
    return hash.matches(credentials.password()) && user != null
        ? new Accepted(user)
        : invalid(name);
  }

  /** Checks a name that has been authenticated by other means, such as a TLS certificate. */
  public AuthenticationResult checkProved(String name) {
    User user = state.user(name);
    return user == null ? invalid(name) : new Accepted(user);
  }

  private static Refused invalid(String name) {
    return new Refused(name, "user '" + name + "' - invalid credentials");
  }

  /**
   * Checks a name and a password for an administrator's request: from any address, and without
   * counting a failure.
   */
  public boolean verify(Credentials credentials) {
    User user = state.user(credentials.username());
    return user != null && user.passwordHash().matches(credentials.password());
  }

  /**
   * Ends a login: applies what depends on where the client connects from, whichever backend has
   * checked its password. A user may be bound to this machine, and refusals are counted and
   * delayed.
   */
  public AuthenticationResult locate(AuthenticationResult checked, InetAddress remoteAddress) {
    if (checked instanceof Accepted accepted) {
      Refused elsewhere = refusalOf(accepted.user().name(), remoteAddress);
      return elsewhere == null ? checked : elsewhere;
    }
    return counted((Refused) checked, remoteAddress);
  }

  /**
   * Returns the refusal of a user who may connect from this machine only, and does so from another
   * one; null if the user may connect from there.
   */
  public Refused refusalOf(String name, InetAddress remoteAddress) {
    return isLoopbackUser(name) && !remoteAddress.isLoopbackAddress()
        ? counted(
            new Refused(name, "user '" + name + "' can only connect via localhost"), remoteAddress)
        : null;
  }

  private Refused counted(Refused refused, InetAddress remoteAddress) {
    return new Refused(
        refused.username(), refused.reason(), throttle.failed(remoteAddress, clock.millis()));
  }

  /**
   * Checks the access of a user to an existing virtual host.
   *
   * @param variables the variables of topic permissions besides {@code username} and {@code vhost},
   *     such as {@code client_id}; empty for AMQP
   * @return checks each access of the user's connection; for one thread only
   * @throws ConnectionException 530 NOT_ALLOWED if the user has no permissions there
   */
  public VhostAccess checkVhostAccess(String user, String vhost, Map<String, String> variables) {
    return checkVhostAccess(user, vhost, variables, List.of());
  }

  /**
   * The same for a user whose password another backend has checked.
   *
   * @param tags which that backend has given the user, besides those that the user has here
   * @throws ConnectionException 530 NOT_ALLOWED if the user has no permissions there
   */
  public VhostAccess checkVhostAccess(
      String user, String vhost, Map<String, String> variables, List<String> tags) {
    if (state.permissions(user, vhost) == null) {
      throw VhostAccess.noEntrance(user, vhost, "");
    }
    return new PermittedAccess(this, user, vhost, variables, tags);
  }

  /**
   * Returns unrestricted access to a virtual host, for an administrator who could change the
   * permissions anyway.
   *
   * @param name the name of the administrator; not the name of a user
   */
  public VhostAccess unrestrictedAccess(String name, String vhost) {
    return new UnrestrictedAccess(name, vhost);
  }
}
