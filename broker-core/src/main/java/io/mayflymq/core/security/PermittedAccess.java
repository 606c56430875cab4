package io.mayflymq.core.security;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Access by the permissions of a user of this broker.
 *
 * <p>Always by the latest state: permissions that are changed or taken away count from the next
 * check, and a deleted user is refused everything. It keeps what it looked up for as long as the
 * state is the same, so a check costs a volatile read and, unless the pattern is trivial, one
 * look-up of the name.
 */
final class PermittedAccess extends VhostAccess {
  private record TopicKey(String exchange, Permission permission) {}

  private final AccessControl control;
  private final Map<String, String> variables;
  private final List<String> tags;
  private final Map<TopicKey, NamePattern> topicPatterns = new HashMap<>();
  private SecurityState seen;
  // Null if the user has none, or is gone.
  private Permissions permissions;

  /**
   * @param variables the variables of topic permissions besides the name of the user and of the
   *     virtual host
   * @param tags which the user has besides those that the state says
   */
  PermittedAccess(
      AccessControl control,
      String user,
      String vhost,
      Map<String, String> variables,
      List<String> tags) {
    super(user, vhost);
    this.control = control;
    this.tags = List.copyOf(tags);
    Map<String, String> all = new HashMap<>(variables);
    all.put("username", user);
    all.put("vhost", vhost);
    this.variables = Map.copyOf(all);
  }

  @Override
  public boolean allows(ResourceKind kind, String name, Permission permission) {
    refresh();
    return permissions != null && permissions.allow(permission, permissionName(kind, name));
  }

  @Override
  public boolean allowsTopic(String exchange, String routingKey, Permission permission) {
    refresh();
    TopicPermissions restriction = seen.topicPermissions(user(), vhost(), exchange);
    return restriction == null
        || topicPatterns
            .computeIfAbsent(
                new TopicKey(exchange, permission),
                key -> restriction.expand(permission, variables))
            .matches(routingKey);
  }

  @Override
  public boolean hasTag(String tag) {
    User current = control.state().user(user());
    return current != null && (current.hasTag(tag) || tags.contains(tag));
  }

  private void refresh() {
    SecurityState latest = control.state();
    if (latest != seen) {
      permissions = latest.permissions(user(), vhost());
      topicPatterns.clear();
      seen = latest;
    }
  }
}
