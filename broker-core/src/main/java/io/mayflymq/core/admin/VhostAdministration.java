package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Adds, changes and deletes virtual hosts. */
public final class VhostAdministration {
  private final ChangeLog changes;
  private final Broker broker;
  private final VhostDefaults defaults;

  VhostAdministration(ChangeLog changes, Broker broker, VhostDefaults defaults) {
    this.changes = changes;
    this.broker = broker;
    this.defaults = defaults;
  }

  /** All virtual hosts, by name. */
  public List<VhostDefinition> list() {
    return broker.virtualHosts().stream()
        .map(VirtualHost::definition)
        .sorted(Comparator.comparing(VhostDefinition::name))
        .toList();
  }

  /**
   * A virtual host that must exist.
   *
   * @throws AdministrationException NO_SUCH_VHOST
   */
  public VhostDefinition get(String name) {
    VirtualHost vhost = broker.virtualHost(name);
    if (vhost == null) {
      throw AdministrationException.noSuchVhost(name);
    }
    return vhost.definition();
  }

  /**
   * Adds a virtual host, or changes the description, tags and default queue type of an existing
   * one, whose limits are kept. A protection from deletion and a dialect are given by this, not
   * taken away.
   *
   * @return completed when that is safe, with whether the virtual host is new
   * @throws AdministrationException INVALID_NAME, INVALID_TAG, INVALID_QUEUE_TYPE, INVALID_LIMIT,
   *     TOO_MANY_VHOSTS
   */
  public CompletableFuture<Boolean> put(VhostDefinition wanted) {
    check(wanted);
    return changes.ask(
        () -> {
          VhostDefinition present = changes.proposed().vhost(wanted.name());
          return present == null
              ? create(wanted).thenApply(inForce -> true)
              : redefine(
                      present,
                      wanted
                          .withDialect(wanted.dialect().or(present::dialect))
                          .withLimits(present.limits())
                          .withProtection(
                              wanted.protectedFromDeletion() || present.protectedFromDeletion()))
                  .thenApply(inForce -> false);
        });
  }

  /**
   * Creates a virtual host with its default policies, limits and users, as one change. A user that
   * is there keeps its password and tags, and gets the permissions.
   */
  private CompletableFuture<Void> create(VhostDefinition asked) {
    int most = broker.limits().vhosts();
    if (changes.proposed().vhosts().size() >= most) {
      throw AdministrationException.tooManyVhosts(asked.name(), most);
    }
    VhostDefinition wanted =
        asked.limits().isEmpty() ? asked.withLimits(defaults.limitsFor(asked.name())) : asked;
    List<Policy> policies = defaults.policiesFor(wanted.name());
    List<MetadataCommand> commands = new ArrayList<>();
    commands.add(new MetadataCommand.VhostIs(wanted.name(), null));
    commands.add(new MetadataCommand.VhostDeclared(wanted));
    policies.forEach(policy -> commands.add(new MetadataCommand.PolicySet(wanted.name(), policy)));
    for (DefaultUser byDefault : defaults.usersFor(wanted.name())) {
      User user = byDefault.user();
      if (changes.proposed().security().user(user.name()) == null) {
        commands.add(new MetadataCommand.UserIs(user.name(), null));
        commands.add(new MetadataCommand.UserDeclared(user));
      }
      commands.add(
          new MetadataCommand.PermissionsSet(user.name(), wanted.name(), byDefault.permissions()));
    }
    return changes.request(commands);
  }

  /** Returns the limits that a virtual host of this name is created with, if it has no others. */
  public Limits defaultLimitsFor(String name) {
    return defaults.limitsFor(name);
  }

  /** Throws the exceptions of {@link #put}, and changes nothing. */
  public static void check(VhostDefinition wanted) {
    Checks.name("virtual host", wanted.name());
    Checks.tags(wanted.tags());
    Checks.queueType(wanted.defaultQueueType());
    Checks.limits(wanted.limits(), Limits.OF_VHOSTS, "limits");
  }

  /**
   * Deletes a virtual host with its exchanges, queues, bindings and messages and all permissions
   * for it. Connections to it are closed with 320 CONNECTION_FORCED.
   *
   * @return completed when its queues are deleted and the change is safe
   * @throws AdministrationException NO_SUCH_VHOST, PROTECTED
   */
  public CompletableFuture<Void> delete(String name) {
    return changes.ask(() -> deleteNow(name)).thenCompose(VirtualHost::queuesEnded);
  }

  private CompletableFuture<VirtualHost> deleteNow(String name) {
    if (require(name).protectedFromDeletion()) {
      throw AdministrationException.protectedFromDeletion(name);
    }
    if (!changes.isSettled()) {
      return changes.later(() -> deleteNow(name));
    }
    VirtualHost vhost = broker.virtualHost(name);
    return changes.request(new MetadataCommand.VhostDeleted(name)).thenApply(inForce -> vhost);
  }

  /**
   * Protects a virtual host from deletion, or lifts that. To have it already is no error.
   *
   * @throws AdministrationException NO_SUCH_VHOST
   */
  public CompletableFuture<Void> protect(String name, boolean wanted) {
    return changes.ask(
        () -> {
          VhostDefinition present = require(name);
          return redefine(present, present.withProtection(wanted));
        });
  }

  /**
   * Sets the dialect of a virtual host. Its queues follow the other rules soon after.
   *
   * @param wanted empty for the broker's dialect
   * @throws AdministrationException NO_SUCH_VHOST
   */
  public CompletableFuture<Void> setDialect(String name, Optional<Dialect> wanted) {
    return changes.ask(
        () -> {
          VhostDefinition present = require(name);
          return redefine(present, present.withDialect(wanted));
        });
  }

  /**
   * Replaces all limits of a virtual host. They apply to new connections and queues.
   *
   * @throws AdministrationException NO_SUCH_VHOST, INVALID_LIMIT
   */
  public CompletableFuture<Void> setLimits(String name, Limits limits) {
    Checks.limits(limits, Limits.OF_VHOSTS, "limits");
    return changeLimits(name, current -> limits);
  }

  /** Sets one limit of a virtual host. Errors as in {@link #setLimits}. */
  public CompletableFuture<Void> setLimit(String name, Limit limit, int value) {
    Checks.limits(Limits.of(Map.of(limit, value)), Limits.OF_VHOSTS, "limits");
    return changeLimits(name, current -> current.with(limit, value));
  }

  /** Removes one limit of a virtual host. Errors as in {@link #setLimits}. */
  public CompletableFuture<Void> clearLimit(String name, Limit limit) {
    return changeLimits(name, current -> current.without(limit));
  }

  private CompletableFuture<Void> changeLimits(String name, UnaryOperator<Limits> change) {
    return changes.ask(
        () -> {
          VhostDefinition present = require(name);
          return redefine(present, present.withLimits(change.apply(present.limits())));
        });
  }

  private CompletableFuture<Void> redefine(VhostDefinition before, VhostDefinition changed) {
    if (changed.equals(before)) {
      return changes.unchanged(null, () -> redefine(require(changed.name()), changed));
    }
    return changes.request(
        List.of(
            new MetadataCommand.VhostIs(changed.name(), before),
            new MetadataCommand.VhostDeclared(changed)));
  }

  /** Returns the definition, including changes that are being written. */
  private VhostDefinition require(String name) {
    VhostDefinition proposed = changes.proposed().vhost(name);
    if (proposed == null) {
      throw AdministrationException.noSuchVhost(name);
    }
    return proposed;
  }
}
