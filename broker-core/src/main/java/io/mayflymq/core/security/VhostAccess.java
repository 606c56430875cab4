package io.mayflymq.core.security;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * What one user may do in one virtual host, as his connection sees it. For use by one thread at a
 * time, such as that of the connection.
 *
 * <p>Who decides may be elsewhere. Then a check for which there is no answer yet throws an {@link
 * AnswerAwaitedException}: its caller waits for the answer, and repeats the command from its
 * beginning. So a command makes all its checks before it has any effect.
 */
public abstract class VhostAccess {
  /** The name that permissions know the default exchange under. */
  public static final String DEFAULT_EXCHANGE = "amq.default";

  private final String user;
  private final String vhost;

  /** Access of a user to a virtual host that the user may enter. */
  protected VhostAccess(String user, String vhost) {
    this.user = user;
    this.vhost = vhost;
  }

  public final String user() {
    return user;
  }

  public final String vhost() {
    return vhost;
  }

  /**
   * Whether the user may do this to a queue or exchange; the empty name is the default exchange.
   *
   * @throws AnswerAwaitedException if the answer is on its way
   */
  public abstract boolean allows(ResourceKind kind, String name, Permission permission);

  /**
   * Whether the user may use this routing key with a topic exchange, for which {@link #allows} has
   * said yes.
   *
   * @throws AnswerAwaitedException if the answer is on its way
   */
  public abstract boolean allowsTopic(String exchange, String routingKey, Permission permission);

  /** Whether the user has a tag. */
  public abstract boolean hasTag(String tag);

  /**
   * Called once when a check refuses something: returns the text for the client.
   *
   * @param text RabbitMQ's
   */
  public String refusal(String text) {
    return text;
  }

  /** A command that had to be repeated is over, whether it was allowed or not. */
  public void commandEnded() {}

  /** Forgets what was allowed, if that is kept: the user has new credentials. */
  public void forget() {}

  /**
   * Checks that the user may do this to a queue or exchange.
   *
   * @param name a name; empty for the default exchange
   * @throws ChannelException 403 ACCESS_REFUSED if not, with RabbitMQ's text
   * @throws AnswerAwaitedException if the answer is on its way
   */
  public final void check(ResourceKind kind, String name, Permission permission) {
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
   * @throws AnswerAwaitedException if the answer is on its way
   */
  public final void checkAny(ResourceKind kind, String name) {
    if (!allows(kind, name, Permission.WRITE) && !allows(kind, name, Permission.READ)) {
      check(kind, name, Permission.CONFIGURE);
    }
  }

  /**
   * Checks that the user may publish to ({@code WRITE}) or bind ({@code READ}) a topic exchange
   * with this routing key. For exchanges of other types RabbitMQ asks nothing.
   *
   * @throws ChannelException 403 ACCESS_REFUSED if not, with RabbitMQ's text
   * @throws AnswerAwaitedException if the answer is on its way
   */
  public final void checkTopic(String exchange, String routingKey, Permission permission) {
    if (!allowsTopic(exchange, routingKey, permission)) {
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
  public final void checkUserId(String claimed) {
    if (claimed != null && !claimed.equals(user) && !hasTag(User.IMPERSONATOR)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "user_id property set to '%s' but authenticated user was '%s'".formatted(claimed, user));
    }
  }

  /** Whether the user may see what happens in all virtual hosts, by the user's tags. */
  public final boolean isMonitor() {
    return hasTag(User.ADMINISTRATOR) || hasTag(User.MONITORING);
  }

  /** Returns the name that permissions know a queue or exchange under. */
  protected static String permissionName(ResourceKind kind, String name) {
    return kind == ResourceKind.EXCHANGE && name.isEmpty() ? DEFAULT_EXCHANGE : name;
  }

  /**
   * Returns the error for a user who may not enter a virtual host, with RabbitMQ's text.
   *
   * @param note what is added to that text; mostly nothing
   */
  public static ConnectionException noEntrance(String user, String vhost, String note) {
    return new ConnectionException(
        ReplyCode.NOT_ALLOWED,
        "access to vhost '%s' refused for user '%s'%s".formatted(vhost, user, note));
  }

  private ChannelException refused(String detail) {
    return new ChannelException(ReplyCode.ACCESS_REFUSED, refusal(detail));
  }
}
