package io.mayflymq.core.security;

import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.net.InetAddress;
import java.time.InstantSource;
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

  /** Returns how many logins there were; the callers of {@link #authenticate} count. */
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

  /**
   * Checks a name and a password. Hashes, so it takes microseconds.
   *
   * @param remoteAddress where the client connects from
   */
  public AuthenticationResult authenticate(Credentials credentials, InetAddress remoteAddress) {
    String name = credentials.username();
    if (credentials.password().isEmpty()) {
      return refused(name, BLANK_PASSWORD.formatted(name), remoteAddress);
    }
    User user = state.user(name);
    PasswordHash hash = user == null ? UNKNOWN_USER : user.passwordHash();
    if (!hash.matches(credentials.password()) || user == null) {
      return refused(name, "user '" + name + "' - invalid credentials", remoteAddress);
    }
    return locate(user, remoteAddress);
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
   * Checks a name that has been authenticated by other means, such as a TLS certificate.
   *
   * @param remoteAddress where the client connects from
   */
  public AuthenticationResult authenticateProved(String name, InetAddress remoteAddress) {
    User user = state.user(name);
    return user == null
        ? refused(name, "user '" + name + "' - invalid credentials", remoteAddress)
        : locate(user, remoteAddress);
  }

  private AuthenticationResult locate(User user, InetAddress remoteAddress) {
    String name = user.name();
    return isLoopbackUser(name) && !remoteAddress.isLoopbackAddress()
        ? refused(name, "user '" + name + "' can only connect via localhost", remoteAddress)
        : new Accepted(user);
  }

  private Refused refused(String name, String reason, InetAddress remoteAddress) {
    return new Refused(name, reason, throttle.failed(remoteAddress, clock.millis()));
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
    if (state.permissions(user, vhost) == null) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED, "access to vhost '" + vhost + "' refused for user '" + user + "'");
    }
    return new VhostAccess(this, user, vhost, variables, false);
  }

  /**
   * Returns unrestricted access to a virtual host, for an administrator who could change the
   * permissions anyway.
   *
   * @param name the name of the administrator; not the name of a user
   */
  public VhostAccess unrestrictedAccess(String name, String vhost) {
    return new VhostAccess(this, name, vhost, Map.of(), true);
  }
}
