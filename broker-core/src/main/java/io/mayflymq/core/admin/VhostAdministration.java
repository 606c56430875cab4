package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.DefaultPolicy;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** Adds, changes and deletes virtual hosts. */
public final class VhostAdministration {
  private final ChangeLog changes;
  private final Broker broker;
  private final Sessions sessions;
  private final Collection<DefaultPolicy> defaultPolicies;

  VhostAdministration(
      ChangeLog changes,
      Broker broker,
      Sessions sessions,
      Collection<DefaultPolicy> defaultPolicies) {
    this.changes = changes;
    this.broker = broker;
    this.sessions = sessions;
    this.defaultPolicies = defaultPolicies;
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
    return require(name).definition();
  }

  /**
   * Adds a virtual host, or changes its description, tags and default queue type if it exists; the
   * limits that it has then stay.
   *
   * @return whether it is new, when that is safe
   * @throws AdministrationException INVALID_NAME, INVALID_TAG, INVALID_QUEUE_TYPE, INVALID_LIMIT
   */
  public CompletableFuture<Boolean> put(VhostDefinition wanted) {
    check(wanted);
    synchronized (changes) {
      VirtualHost current = broker.virtualHost(wanted.name());
      if (current != null) {
        return redefine(current, wanted.withLimits(current.definition().limits()))
            .thenApply(safe -> false);
      }
      VirtualHost created = broker.createVirtualHost(wanted);
      CompletableFuture<Void> safe = changes.append(new MetadataCommand.VhostDeclared(wanted));
      changes.events().created(wanted);
      return CompletableFuture.allOf(safe, created.policies().setDefaults(defaultPolicies))
          .thenApply(done -> true);
    }
  }

  /** Throws what {@link #put} would throw, and changes nothing. */
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
   * @return done when its queues have gone and the change is safe
   * @throws AdministrationException NO_SUCH_VHOST
   */
  public CompletableFuture<Void> delete(String name) {
    synchronized (changes) {
      require(name);
      changes.publish(changes.state().withoutVhost(name));
      CompletableFuture<Void> deleted = broker.deleteVirtualHost(name);
      sessions.closeAllTo(name);
      changes.events().deleted(name);
      return deleted;
    }
  }

  /**
   * Replaces all limits of a virtual host. They hold for connections and queues to come.
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

  /** Takes one limit of a virtual host away. Errors as in {@link #setLimits}. */
  public CompletableFuture<Void> clearLimit(String name, Limit limit) {
    return changeLimits(name, current -> current.without(limit));
  }

  private CompletableFuture<Void> changeLimits(String name, UnaryOperator<Limits> change) {
    synchronized (changes) {
      VirtualHost vhost = require(name);
      VhostDefinition current = vhost.definition();
      return redefine(vhost, current.withLimits(change.apply(current.limits())));
    }
  }

  private CompletableFuture<Void> redefine(VirtualHost vhost, VhostDefinition changed) {
    VhostDefinition before = vhost.definition();
    if (changed.equals(before)) {
      return CompletableFuture.completedFuture(null);
    }
    vhost.redefine(changed);
    changes.events().redefined(before, changed);
    return changes.append(new MetadataCommand.VhostDeclared(changed));
  }

  private VirtualHost require(String name) {
    VirtualHost vhost = broker.virtualHost(name);
    if (vhost == null) {
      throw AdministrationException.noSuchVhost(name);
    }
    return vhost;
  }
}
