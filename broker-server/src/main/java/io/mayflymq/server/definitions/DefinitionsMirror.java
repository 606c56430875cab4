package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from a broker what other definitions do not have, or have otherwise: an import of these
 * makes both equal then. What the broker has of its own, the exchanges of each virtual host and the
 * identity of its cluster, stays.
 */
final class DefinitionsMirror {
  private static final Logger LOGGER = LoggerFactory.getLogger(DefinitionsMirror.class);

  private final Broker broker;
  private final Administration administration;
  private final Definitions ours;
  private final Definitions theirs;
  private final List<CompletableFuture<?>> underWay = new ArrayList<>();

  /**
   * Prepares it.
   *
   * @param ours what this broker has
   * @param theirs what it is to have
   */
  DefinitionsMirror(
      Broker broker, Administration administration, Definitions ours, Definitions theirs) {
    this.broker = broker;
    this.administration = administration;
    this.ours = ours;
    this.theirs = theirs;
  }

  /** Removes it, and waits until that is safe. What cannot be removed is logged. */
  void prune() {
    Set<String> vhosts = names(theirs.vhosts(), VhostDefinition::name);
    gone(ours.vhosts(), theirs.vhosts(), VhostDefinition::name)
        .forEach(vhost -> remove("vhost '%s'".formatted(vhost.name()), () -> delete(vhost)));
    settle();
    gone(ours.bindings(), theirs.bindings(), each -> each)
        .forEach(
            bound ->
                inVhost(
                    vhosts,
                    bound.vhost(),
                    bound.label(),
                    vhost -> vhost.unbind(bound.binding(), Actor.BROKER)));
    settle();
    gone(ours.queues(), theirs.queues(), each -> each)
        .forEach(
            queue ->
                inVhost(
                    vhosts,
                    queue.vhost(),
                    queue.label(),
                    vhost -> vhost.deleteQueue(queue.name(), Actor.BROKER, false, false)));
    gone(
            ours.policies(),
            theirs.policies(),
            each -> List.of(each.operator(), each.vhost(), each.name()))
        .forEach(policy -> clear(policy, vhosts));
    settle();
    gone(ours.exchanges(), theirs.exchanges(), each -> each)
        .forEach(
            exchange ->
                inVhost(
                    vhosts,
                    exchange.vhost(),
                    exchange.label(),
                    vhost -> vhost.deleteExchange(exchange.name(), false, Actor.BROKER)));
    pruneAccess(vhosts);
    settle();
  }

  private void clear(PolicyItem policy, Set<String> vhosts) {
    if (policy.isForVhosts()) {
      remove(policy.label(), () -> administration.policies().clear(policy.kind(), policy.name()));
    } else {
      inVhost(
          vhosts,
          policy.vhost(),
          policy.label(),
          vhost -> vhost.policies().clear(policy.kind(), policy.name()));
    }
  }

  private void pruneAccess(Set<String> vhosts) {
    gone(ours.parameters(), theirs.parameters(), DefinitionsMirror::key)
        .forEach(
            parameter ->
                inVhost(
                    vhosts,
                    parameter.vhost(),
                    "parameter '%s'".formatted(parameter.name()),
                    vhost ->
                        administration
                            .parameters()
                            .clear(parameter.vhost(), parameter.component(), parameter.name())));
    for (String vhost : ours.vhostLimits().keySet()) {
      if (vhosts.contains(vhost) && !theirs.vhostLimits().containsKey(vhost)) {
        remove(
            "limits of vhost '%s'".formatted(vhost),
            () -> administration.vhosts().setLimits(vhost, Limits.NONE));
      }
    }
    Set<String> users = names(theirs.users(), User::name);
    gone(ours.users(), theirs.users(), User::name)
        .forEach(
            user ->
                remove(
                    "user '%s'".formatted(user.name()),
                    () -> administration.users().delete(user.name())));
    gone(ours.permissions(), theirs.permissions(), each -> List.of(each.user(), each.vhost()))
        .stream()
        .filter(each -> users.contains(each.user()) && vhosts.contains(each.vhost()))
        .forEach(
            each ->
                remove(
                    each.label(),
                    () -> administration.permissions().clear(each.user(), each.vhost())));
    gone(
            ours.topicPermissions(),
            theirs.topicPermissions(),
            each -> List.of(each.user(), each.vhost(), each.exchange()))
        .stream()
        .filter(each -> users.contains(each.user()) && vhosts.contains(each.vhost()))
        .forEach(
            each ->
                remove(
                    each.label(),
                    () ->
                        administration
                            .permissions()
                            .clearTopic(each.user(), each.vhost(), each.exchange())));
    for (String name : ours.globalParameters().keySet()) {
      if (!theirs.globalParameters().containsKey(name)
          && !BrokerDefinitions.IDENTITY.contains(name)) {
        remove(
            "global parameter '%s'".formatted(name),
            () -> administration.globalParameters().clear(name));
      }
    }
  }

  private static List<String> key(Parameter parameter) {
    return List.of(parameter.vhost(), parameter.component(), parameter.name());
  }

  private CompletableFuture<Void> delete(VhostDefinition vhost) {
    CompletableFuture<Void> open =
        vhost.protectedFromDeletion()
            ? administration.vhosts().protect(vhost.name(), false)
            : CompletableFuture.completedFuture(null);
    return open.thenCompose(done -> administration.vhosts().delete(vhost.name()));
  }

  private void inVhost(
      Set<String> vhosts,
      String name,
      String label,
      Function<VirtualHost, CompletableFuture<?>> removal) {
    VirtualHost vhost = broker.virtualHost(name);
    if (vhost != null && vhosts.contains(name)) {
      remove(label, () -> removal.apply(vhost));
    }
  }

  private void remove(String label, Supplier<CompletableFuture<?>> removal) {
    try {
      underWay.add(
          removal
              .get()
              .handle(
                  (done, failure) -> {
                    if (failure != null) {
                      warn(label, Causes.of(failure));
                    }
                    return null;
                  }));
    } catch (RuntimeException e) {
      warn(label, e);
    }
  }

  private static void warn(String label, Throwable why) {
    LOGGER.warn("{} cannot be removed, as it is at the primary: {}", label, why.getMessage());
  }

  private void settle() {
    try {
      CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new)).join();
    } catch (CompletionException e) {
      throw new IllegalStateException(e);
    } finally {
      underWay.clear();
    }
  }

  private static <T, K> Set<K> names(Collection<T> items, Function<T, K> key) {
    Set<K> names = new HashSet<>();
    items.forEach(item -> names.add(key.apply(item)));
    return names;
  }

  /** Returns what we have and they do not. */
  private static <T, K> List<T> gone(Collection<T> ours, Collection<T> theirs, Function<T, K> key) {
    Set<K> kept = names(theirs, key);
    return ours.stream().filter(item -> !kept.contains(key.apply(item))).toList();
  }
}
