package io.mayflymq.core.security;

import io.vavr.collection.HashMap;
import java.util.ArrayList;
import java.util.List;

/**
 * All users with their permissions, at one moment. Immutable: a change returns another state. It
 * says nothing of which virtual hosts exist.
 */
public final class SecurityState {
  /** No users. */
  public static final SecurityState EMPTY =
      new SecurityState(HashMap.empty(), HashMap.empty(), HashMap.empty());

  /** The name of the user that a new broker has, and that user's password. */
  public static final String DEFAULT_USER = "guest";

  private record Grant(String user, String vhost) {}

  private record TopicGrant(String user, String vhost, String exchange) {}

  /** The permissions of a user in a virtual host, for listing. */
  public record PermissionEntry(String user, String vhost, Permissions permissions) {}

  /** The permissions of a user for a topic exchange, for listing. */
  public record TopicPermissionEntry(
      String user, String vhost, String exchange, TopicPermissions permissions) {}

  private final HashMap<String, User> users;
  private final HashMap<Grant, Permissions> permissions;
  private final HashMap<TopicGrant, TopicPermissions> topicPermissions;

  private SecurityState(
      HashMap<String, User> users,
      HashMap<Grant, Permissions> permissions,
      HashMap<TopicGrant, TopicPermissions> topicPermissions) {
    this.users = users;
    this.permissions = permissions;
    this.topicPermissions = topicPermissions;
  }

  /**
   * The state of a new broker: one administrator, with all permissions in one virtual host.
   *
   * @see AccessControl#DEFAULT_LOOPBACK_USERS
   */
  public static SecurityState initial(String user, String password, String vhost) {
    return EMPTY
        .withUser(new User(user, PasswordHash.of(password), List.of(User.ADMINISTRATOR)))
        .withPermissions(user, vhost, Permissions.ALL);
  }

  /** The user of that name, or null. */
  public User user(String name) {
    return users.getOrElse(name, null);
  }

  /** All users, in no particular order. */
  public List<User> users() {
    return users.values().toJavaList();
  }

  /** What a user may do in a virtual host, or null if he may not even enter it. */
  public Permissions permissions(String user, String vhost) {
    return permissions.getOrElse(new Grant(user, vhost), null);
  }

  /** All permissions, in no particular order. */
  public List<PermissionEntry> permissions() {
    List<PermissionEntry> all = new ArrayList<>(permissions.size());
    permissions.forEach(
        (grant, value) -> all.add(new PermissionEntry(grant.user(), grant.vhost(), value)));
    return all;
  }

  /** What restricts a user's routing keys on a topic exchange, or null if nothing does. */
  public TopicPermissions topicPermissions(String user, String vhost, String exchange) {
    return topicPermissions.getOrElse(new TopicGrant(user, vhost, exchange), null);
  }

  /** All topic permissions, in no particular order. */
  public List<TopicPermissionEntry> topicPermissions() {
    List<TopicPermissionEntry> all = new ArrayList<>(topicPermissions.size());
    topicPermissions.forEach(
        (grant, value) ->
            all.add(
                new TopicPermissionEntry(grant.user(), grant.vhost(), grant.exchange(), value)));
    return all;
  }

  /** This state with a user added or replaced; permissions stay as they are. */
  public SecurityState withUser(User user) {
    return user.equals(user(user.name()))
        ? this
        : new SecurityState(users.put(user.name(), user), permissions, topicPermissions);
  }

  /** This state without a user and his permissions. */
  public SecurityState withoutUser(String name) {
    if (user(name) == null) {
      return this;
    }
    return new SecurityState(
        users.remove(name),
        permissions.filterKeys(grant -> !grant.user().equals(name)),
        topicPermissions.filterKeys(grant -> !grant.user().equals(name)));
  }

  /**
   * This state with the permissions of a user in a virtual host set.
   *
   * @throws IllegalArgumentException if there is no such user
   */
  public SecurityState withPermissions(String user, String vhost, Permissions value) {
    requireUser(user);
    return value.equals(permissions(user, vhost))
        ? this
        : new SecurityState(
            users, permissions.put(new Grant(user, vhost), value), topicPermissions);
  }

  /** This state with a user shut out of a virtual host. Topic permissions stay, as in RabbitMQ. */
  public SecurityState withoutPermissions(String user, String vhost) {
    return permissions(user, vhost) == null
        ? this
        : new SecurityState(users, permissions.remove(new Grant(user, vhost)), topicPermissions);
  }

  /**
   * This state with the permissions of a user for a topic exchange set; the exchange need not
   * exist.
   *
   * @throws IllegalArgumentException if there is no such user
   */
  public SecurityState withTopicPermissions(
      String user, String vhost, String exchange, TopicPermissions value) {
    requireUser(user);
    if (value.equals(topicPermissions(user, vhost, exchange))) {
      return this;
    }
    return new SecurityState(
        users, permissions, topicPermissions.put(new TopicGrant(user, vhost, exchange), value));
  }

  /** This state with a user's routing keys on a topic exchange no longer restricted. */
  public SecurityState withoutTopicPermissions(String user, String vhost, String exchange) {
    return topicPermissions(user, vhost, exchange) == null
        ? this
        : new SecurityState(
            users, permissions, topicPermissions.remove(new TopicGrant(user, vhost, exchange)));
  }

  /** This state without any permission in a virtual host, for when that is deleted. */
  public SecurityState withoutVhost(String vhost) {
    return new SecurityState(
        users,
        permissions.filterKeys(grant -> !grant.vhost().equals(vhost)),
        topicPermissions.filterKeys(grant -> !grant.vhost().equals(vhost)));
  }

  private void requireUser(String name) {
    if (user(name) == null) {
      throw new IllegalArgumentException("no user '" + name + "'");
    }
  }
}
