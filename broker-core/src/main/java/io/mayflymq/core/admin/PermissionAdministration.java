package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.security.SecurityState.TopicPermissionEntry;
import io.mayflymq.core.security.TopicPermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sets the permissions of users in virtual hosts. A change takes effect at the next check, also for
 * open connections. Methods that change something throw NO_SUCH_USER, NO_SUCH_VHOST and
 * INVALID_PATTERN.
 */
public final class PermissionAdministration {
  private final ChangeLog changes;

  PermissionAdministration(ChangeLog changes) {
    this.changes = changes;
  }

  /** All permissions, by user and virtual host. */
  public List<PermissionEntry> list() {
    return changes.current().security().permissions().stream()
        .sorted(Comparator.comparing(PermissionEntry::user).thenComparing(PermissionEntry::vhost))
        .toList();
  }

  /** All topic permissions, by user, virtual host and exchange. */
  public List<TopicPermissionEntry> listTopics() {
    return changes.current().security().topicPermissions().stream()
        .sorted(
            Comparator.comparing(TopicPermissionEntry::user)
                .thenComparing(TopicPermissionEntry::vhost)
                .thenComparing(TopicPermissionEntry::exchange))
        .toList();
  }

  /** Returns the permissions of a user in a virtual host, or null if the user has no access. */
  public Permissions get(String user, String vhost) {
    return changes.current().security().permissions(user, vhost);
  }

  /**
   * Sets the permissions of a user in a virtual host, as three regular expressions for names.
   *
   * @return completed when that is safe, with whether the user had no permissions there before
   */
  public CompletableFuture<Boolean> set(
      String user, String vhost, String configure, String write, String read) {
    Permissions permissions = Checks.permissions(configure, write, read);
    return changes.ask(
        () -> {
          requireBoth(user, vhost);
          SecurityState security = changes.proposed().security();
          boolean isNew = security.permissions(user, vhost) == null;
          return changes
              .request(new MetadataCommand.PermissionsSet(user, vhost, permissions))
              .thenApply(inForce -> isNew);
        });
  }

  /** Sets the permissions of a user in each virtual host that exists now. */
  public CompletableFuture<Void> setGlobally(
      String user, String configure, String write, String read) {
    Permissions permissions = Checks.permissions(configure, write, read);
    return changes.ask(
        () -> {
          requireUser(user);
          List<Administrative> commands = new ArrayList<>();
          for (String vhost : changes.proposed().vhosts().keySet()) {
            commands.add(new MetadataCommand.PermissionsSet(user, vhost, permissions));
          }
          return requestAll(commands);
        });
  }

  /** Removes the permissions of a user in a virtual host; repeating it is no error. */
  public CompletableFuture<Void> clear(String user, String vhost) {
    return changes.ask(
        () -> {
          requireBoth(user, vhost);
          return changes.request(new MetadataCommand.PermissionsCleared(user, vhost));
        });
  }

  /**
   * Restricts the routing keys that a user may publish with to a topic exchange, and bind with to
   * read from it. The exchange need not exist.
   *
   * @return completed when that is safe, with whether there was no such restriction before
   */
  public CompletableFuture<Boolean> setTopic(
      String user, String vhost, String exchange, String write, String read) {
    TopicPermissions permissions = Checks.topicPermissions(write, read);
    Checks.name("exchange", exchange.isEmpty() ? "amq.default" : exchange);
    return changes.ask(
        () -> {
          requireBoth(user, vhost);
          SecurityState security = changes.proposed().security();
          boolean isNew = security.topicPermissions(user, vhost, exchange) == null;
          return changes
              .request(new MetadataCommand.TopicPermissionsSet(user, vhost, exchange, permissions))
              .thenApply(inForce -> isNew);
        });
  }

  /** Removes the restriction for one exchange; repeating it is no error. */
  public CompletableFuture<Void> clearTopic(String user, String vhost, String exchange) {
    return changes.ask(
        () -> {
          requireBoth(user, vhost);
          return changes.request(
              new MetadataCommand.TopicPermissionsCleared(user, vhost, exchange));
        });
  }

  /** Removes the restrictions for all exchanges of a virtual host. */
  public CompletableFuture<Void> clearTopics(String user, String vhost) {
    return changes.ask(
        () -> {
          requireBoth(user, vhost);
          SecurityState security = changes.proposed().security();
          List<Administrative> commands = new ArrayList<>();
          for (TopicPermissionEntry entry : security.topicPermissions()) {
            if (entry.user().equals(user) && entry.vhost().equals(vhost)) {
              commands.add(
                  new MetadataCommand.TopicPermissionsCleared(user, vhost, entry.exchange()));
            }
          }
          return requestAll(commands);
        });
  }

  private CompletableFuture<Void> requestAll(List<Administrative> commands) {
    return commands.isEmpty()
        ? changes.unchanged(null, () -> CompletableFuture.completedFuture(null))
        : changes.request(commands);
  }

  private void requireBoth(String user, String vhost) {
    if (changes.proposed().vhost(vhost) == null) {
      throw AdministrationException.noSuchVhost(vhost);
    }
    requireUser(user);
  }

  private void requireUser(String user) {
    SecurityState security = changes.proposed().security();
    if (security.user(user) == null) {
      throw AdministrationException.noSuchUser(user, security);
    }
  }
}
