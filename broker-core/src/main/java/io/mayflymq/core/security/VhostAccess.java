package io.mayflymq.core.security;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.HashMap;
import java.util.Map;

/**
 * What one user may do in one virtual host, as his connection sees it.
 *
 * <p>Always by the latest state: permissions that are changed or taken away count from the next
 * check, and a deleted user is refused everything. It keeps what it looked up for as long as the
 * state is the same, so a check costs a volatile read and, unless the pattern is trivial, one
 * look-up of the name. For use by one thread at a time, such as that of the connection.
 */
public final class VhostAccess {
  /** The name that permissions know the default exchange under. */
  public static final String DEFAULT_EXCHANGE = "amq.default";

  private record TopicKey(String exchange, Permission permission) {}

  private final AccessControl control;
  private final String user;
  private final String vhost;
  private final Map<String, String> variables;
  private final boolean unrestricted;
  private final Map<TopicKey, NamePattern> topicPatterns = new HashMap<>();
  private SecurityState seen;
  // Null if the user has none, or is gone.
  private Permissions permissions;

  VhostAccess(
      AccessControl control,
      String user,
      String vhost,
      Map<String, String> variables,
      boolean unrestricted) {
    this.control = control;
    this.user = user;
    this.vhost = vhost;
    this.unrestricted = unrestricted;
    Map<String, String> all = new HashMap<>(variables);
    all.put("username", user);
    all.put("vhost", vhost);
    this.variables = Map.copyOf(all);
  }

  public String user() {
    return user;
  }

  public String vhost() {
    return vhost;
  }

  /**
   * Whether the user may do this to a queue or exchange; the empty name is the default exchange.
   */
  public boolean allows(ResourceKind kind, String name, Permission permission) {
    if (unrestricted) {
      return true;
    }
    refresh();
    return permissions != null && permissions.allow(permission, permissionName(kind, name));
  }

  /**
   * Checks that the user may do this to a queue or exchange.
   *
   * @param name a name; empty for the default exchange
   * @throws ChannelException 403 ACCESS_REFUSED if not, with RabbitMQ's text
   */
  public void check(ResourceKind kind, String name, Permission permission) {
    if (!allows(kind, name, permission)) {
      throw refused(
          "%s access to %s '%s' in vhost '%s' refused for user '%s'"
              .formatted(permission, kind, permissionName(kind, name), vhost, user));
    }
  }

  /**
   * Checks that the user may do something, whatever it is, to a queue or exchange: what a passive
   * declaration needs since RabbitMQ 4.3.1, as it tells whether there is one and how much is in it.
   *
   * @param name a name; empty for the default exchange
   * @throws ChannelException 403 ACCESS_REFUSED if not, with RabbitMQ's text, which names the first
   *     of the permissions
   */
  public void checkAny(ResourceKind kind, String name) {
    if (!allows(kind, name, Permission.WRITE) && !allows(kind, name, Permission.READ)) {
      check(kind, name, Permission.CONFIGURE);
    }
  }

  /**
   * Checks that the user may publish to ({@code WRITE}) or bind ({@code READ}) a topic exchange
   * with this routing key. For exchanges of other types RabbitMQ asks nothing.
   *
   * @throws ChannelException 403 ACCESS_REFUSED if not, with RabbitMQ's text
   */
  public void checkTopic(String exchange, String routingKey, Permission permission) {
    if (unrestricted) {
      return;
    }
    refresh();
    TopicPermissions restriction = seen.topicPermissions(user, vhost, exchange);
    if (restriction == null) {
      return;
    }
    NamePattern pattern =
        topicPatterns.computeIfAbsent(
            new TopicKey(exchange, permission), key -> restriction.expand(permission, variables));
    if (!pattern.matches(routingKey)) {
      throw refused(
          "%s access to topic '%s' in exchange '%s' in vhost '%s' refused for user '%s'"
              .formatted(permission, routingKey, exchange, vhost, user));
    }
  }

  /**
   * Checks the {@code user_id} property of a message (rabbitmq.com/docs/validated-user-id).
   *
   * @param claimed the property, or null if the message has none
   * @throws ChannelException 406 PRECONDITION_FAILED if it is not the name of the user, unless he
   *     has the tag {@code impersonator}
   */
  public void checkUserId(String claimed) {
    if (unrestricted || claimed == null || claimed.equals(user)) {
      return;
    }
    User current = control.state().user(user);
    if (current == null || !current.hasTag(User.IMPERSONATOR)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "user_id property set to '%s' but authenticated user was '%s'".formatted(claimed, user));
    }
  }

  /** Whether the user may see what happens in all virtual hosts, by the user's tags. */
  public boolean isMonitor() {
    User current = control.state().user(user);
    return unrestricted || (current != null && current.isMonitor());
  }

  private void refresh() {
    SecurityState latest = control.state();
    if (latest != seen) {
      permissions = latest.permissions(user, vhost);
      topicPatterns.clear();
      seen = latest;
    }
  }

  private static String permissionName(ResourceKind kind, String name) {
    return kind == ResourceKind.EXCHANGE && name.isEmpty() ? DEFAULT_EXCHANGE : name;
  }

  private static ChannelException refused(String detail) {
    return new ChannelException(ReplyCode.ACCESS_REFUSED, detail);
  }
}
