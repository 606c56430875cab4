package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.security.SecurityState.TopicPermissionEntry;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Says what users may do in virtual hosts. A change counts from the next check, also for
 * connections that are open. Methods that change something throw NO_SUCH_USER, NO_SUCH_VHOST and
 * INVALID_PATTERN.
 */
public final class PermissionAdministration {
  private final ChangeLog changes;
  private final Broker broker;

  PermissionAdministration(ChangeLog changes, Broker broker) {
    this.changes = changes;
    this.broker = broker;
  }

  /** All permissions, by user and virtual host. */
  public List<PermissionEntry> list() {
    return changes.state().permissions().stream()
        .sorted(Comparator.comparing(PermissionEntry::user).thenComparing(PermissionEntry::vhost))
        .toList();
  }

  /** All topic permissions, by user, virtual host and exchange. */
  public List<TopicPermissionEntry> listTopics() {
    return changes.state().topicPermissions().stream()
        .sorted(
            Comparator.comparing(TopicPermissionEntry::user)
                .thenComparing(TopicPermissionEntry::vhost)
                .thenComparing(TopicPermissionEntry::exchange))
        .toList();
  }

  /** What a user may do in a virtual host, or null if he may not even enter it. */
  public Permissions get(String user, String vhost) {
    return changes.state().permissions(user, vhost);
  }

  /**
   * Sets what a user may do in a virtual host, as three regular expressions over names.
   *
   * @return whether he had no permissions there before, when that is safe
   */
  public CompletableFuture<Boolean> set(
      String user, String vhost, String configure, String write, String read) {
    Permissions permissions = Checks.permissions(configure, write, read);
    synchronized (changes) {
      requireBoth(user, vhost);
      boolean isNew = get(user, vhost) == null;
      return keep(user, vhost, permissions).thenApply(safe -> isNew);
    }
  }

  /** Sets what a user may do in each virtual host that exists now. */
  public CompletableFuture<Void> setGlobally(
      String user, String configure, String write, String read) {
    Permissions permissions = Checks.permissions(configure, write, read);
    synchronized (changes) {
      requireUser(user);
      return CompletableFuture.allOf(
          broker.virtualHosts().stream()
              .map(vhost -> keep(user, vhost.name(), permissions))
              .toArray(CompletableFuture<?>[]::new));
    }
  }

  /** Shuts a user out of a virtual host; doing so twice is no error. */
  public CompletableFuture<Void> clear(String user, String vhost) {
    synchronized (changes) {
      requireBoth(user, vhost);
      SecurityState next = changes.state().withoutPermissions(user, vhost);
      return changes.change(next, new MetadataCommand.PermissionsCleared(user, vhost));
    }
  }

  /**
   * Restricts the routing keys that a user may publish with to a topic exchange, and bind with to
   * read from it. The exchange need not exist.
   *
   * @return whether there was no such restriction before, when that is safe
   */
  public CompletableFuture<Boolean> setTopic(
      String user, String vhost, String exchange, String write, String read) {
    TopicPermissions permissions = Checks.topicPermissions(write, read);
    Checks.name("exchange", exchange.isEmpty() ? "amq.default" : exchange);
    synchronized (changes) {
      requireBoth(user, vhost);
      boolean isNew = changes.state().topicPermissions(user, vhost, exchange) == null;
      return changes
          .change(
              changes.state().withTopicPermissions(user, vhost, exchange, permissions),
              new MetadataCommand.TopicPermissionsSet(user, vhost, exchange, permissions))
          .thenApply(safe -> isNew);
    }
  }

  /** Takes the restriction for one exchange away; doing so twice is no error. */
  public CompletableFuture<Void> clearTopic(String user, String vhost, String exchange) {
    synchronized (changes) {
      requireBoth(user, vhost);
      return changes.change(
          changes.state().withoutTopicPermissions(user, vhost, exchange),
          new MetadataCommand.TopicPermissionsCleared(user, vhost, exchange));
    }
  }

  /** Takes the restrictions for all exchanges of a virtual host away. */
  public CompletableFuture<Void> clearTopics(String user, String vhost) {
    synchronized (changes) {
      requireBoth(user, vhost);
      return CompletableFuture.allOf(
          listTopics().stream()
              .filter(entry -> entry.user().equals(user) && entry.vhost().equals(vhost))
              .map(entry -> clearTopic(user, vhost, entry.exchange()))
              .toArray(CompletableFuture<?>[]::new));
    }
  }

  private CompletableFuture<Void> keep(String user, String vhost, Permissions permissions) {
    return changes.change(
        changes.state().withPermissions(user, vhost, permissions),
        new MetadataCommand.PermissionsSet(user, vhost, permissions));
  }

  private void requireBoth(String user, String vhost) {
    VirtualHost found = broker.virtualHost(vhost);
    if (found == null) {
      throw AdministrationException.noSuchVhost(vhost);
    }
    requireUser(user);
  }

  private void requireUser(String user) {
    if (changes.state().user(user) == null) {
      throw AdministrationException.noSuchUser(user);
    }
  }
}
