package io.mayflymq.server.auth.oauth2;

import io.mayflymq.core.runtime.LogLineLimit;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LastAllowed;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a token permits in a virtual host. It is all known. For one thread at a time. */
final class TokenAccess extends VhostAccess {
  private static final Logger LOGGER = LoggerFactory.getLogger(TokenAccess.class);
  private static final LogLineLimit LINES =
      new LogLineLimit(100, TimeUnit.SECONDS.toNanos(10), System::nanoTime);

  /**
   * A right in this virtual host.
   *
   * @param keys null if it has none about routing keys
   */
  private record Right(
      Permission permission, WildcardPattern names, WildcardPattern keys, Scope scope) {
    boolean covers(Permission asked, String name) {
      return permission == asked && names.matches(name);
    }
  }

  private final AuthenticatedUser user;
  private final List<Right> rights;
  private final LastAllowed last = new LastAllowed();

  /** What is logged about the last refusal; null for nothing. */
  private String hint;

  TokenAccess(AuthenticatedUser user, String vhost) {
    super(user.name(), vhost);
    this.user = user;
    this.rights =
        user.state().facts().stream()
            .map(Scope::of)
            .flatMap(Optional::stream)
            .filter(scope -> scope.isAbout(vhost))
            .map(
                scope ->
                    new Right(scope.permission(), scope.names(vhost), scope.keys(vhost), scope))
            .toList();
  }

  @Override
  public boolean allows(ResourceKind kind, String name, Permission permission) {
    if (last.is(kind, name, permission)) {
      return true;
    }
    hint = null;
    String known = permissionName(kind, name);
    boolean allowed = rights.stream().anyMatch(right -> right.covers(permission, known));
    if (allowed) {
      last.was(kind, name, permission);
    }
    return allowed;
  }

  /** A scope without a third part gives no right about routing keys, as in RabbitMQ. */
  @Override
  public boolean allowsTopic(String exchange, String routingKey, Permission permission) {
    if (last.isTopic(exchange, routingKey, permission)) {
      return true;
    }
    hint = null;
    for (Right right : rights) {
      if (right.covers(permission, exchange)) {
        if (right.keys() != null && right.keys().matches(routingKey)) {
          last.wasTopic(exchange, routingKey, permission);
          return true;
        }
        if (right.keys() == null) {
          hint =
              "its scope %s has no third part, which says the routing keys of topic exchanges"
                  .formatted(right.scope());
        }
      }
    }
    return false;
  }

  @Override
  public boolean hasTag(String tag) {
    return user.tags().contains(tag);
  }

  @Override
  public String refusal(String text) {
    if (hint != null) {
      LogLineLimit.Verdict verdict = LINES.next();
      if (verdict.isAdmitted()) {
        LOGGER.info("{}: {}{}", text, hint, verdict.leftOut());
      }
    }
    return text;
  }
}
