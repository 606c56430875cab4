package io.mayflymq.core.security;

import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.net.InetAddress;
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
  private static final PasswordHash NOBODY = PasswordHash.of("nobody");

  private final Set<String> loopbackUsers;
  private volatile SecurityState state;

  /**
   * An access control that starts with a state.
   *
   * @param loopbackUsers names of the users who may connect from this machine only
   */
  public AccessControl(SecurityState state, Set<String> loopbackUsers) {
    this.state = Objects.requireNonNull(state, "state");
    this.loopbackUsers = Set.copyOf(loopbackUsers);
  }

  /** The state that decides at the moment. */
  public SecurityState state() {
    return state;
  }

  /** Makes another state decide from now on, also for connections that are already open. */
  public void publish(SecurityState next) {
    state = Objects.requireNonNull(next, "next");
  }

  /**
   * Checks a name and a password. Hashes, so it takes microseconds.
   *
   * @param remoteAddress where the client connects from
   */
  public AuthenticationResult authenticate(Credentials credentials, InetAddress remoteAddress) {
    String name = credentials.username();
    if (credentials.password().isEmpty()) {
      return new Refused(name, BLANK_PASSWORD.formatted(name));
    }
    User user = state.user(name);
    PasswordHash hash = user == null ? NOBODY : user.passwordHash();
    if (!hash.matches(credentials.password()) || user == null) {
      return new Refused(name, "user '" + name + "' - invalid credentials");
    }
    if (loopbackUsers.contains(name) && !remoteAddress.isLoopbackAddress()) {
      return new Refused(name, "user '" + name + "' can only connect via localhost");
    }
    return new Accepted(user);
  }

  /**
   * Lets a user into a virtual host that exists.
   *
   * @param variables what topic permissions may refer to besides {@code username} and {@code
   *     vhost}, such as {@code client_id}; empty for AMQP
   * @return what the user's connection asks for each access; for one thread only
   * @throws ConnectionException 530 NOT_ALLOWED if he has no permissions there
   */
  public VhostAccess checkVhostAccess(String user, String vhost, Map<String, String> variables) {
    if (state.permissions(user, vhost) == null) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED, "access to vhost '" + vhost + "' refused for user '" + user + "'");
    }
    return new VhostAccess(this, user, vhost, variables, false);
  }

  /**
   * Lets somebody do everything in a virtual host who needs no permissions, as he could change
   * them.
   *
   * @param name what he is called; not the name of a user
   */
  public VhostAccess unrestrictedAccess(String name, String vhost) {
    return new VhostAccess(this, name, vhost, Map.of(), true);
  }
}
