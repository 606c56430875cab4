package io.mayflymq.server.federation;

import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.shovel.federation.Federated;
import io.mayflymq.shovel.federation.Federated.Kind;
import io.mayflymq.shovel.federation.LocalObjects;
import io.mayflymq.shovel.federation.Selection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The exchanges and queues of a broker as federation sees them. In a cluster exchanges have their
 * links on one node, and a queue where it is. Any thread may call.
 */
public final class FederatedObjects implements LocalObjects {
  private static final long PATIENCE_MILLIS = 1_000;

  private static final List<PolicyKey> KEYS =
      List.of(
          PolicyKey.FEDERATION_UPSTREAM,
          PolicyKey.FEDERATION_UPSTREAM_SET,
          PolicyKey.FEDERATION_UPSTREAM_PATTERN);

  private final Broker broker;
  private final BooleanSupplier hasExchanges;

  /**
   * @param hasExchanges whether exchanges have their links on this node
   */
  public FederatedObjects(Broker broker, BooleanSupplier hasExchanges) {
    this.broker = broker;
    this.hasExchanges = hasExchanges;
  }

  @Override
  public Object version() {
    List<Object> version = new ArrayList<>();
    version.add(hasExchanges.getAsBoolean());
    if (broker.cluster().isPresent()) {
      // A queue may be led by another node, which is no change of what is declared.
      version.add(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()));
    }
    for (VirtualHost vhost : broker.virtualHosts()) {
      version.add(vhost.name());
      version.add(vhost.routing());
      version.add(vhost.policies().table());
    }
    return version;
  }

  @Override
  public List<Federated> federated(Function<String, Collection<Pattern>> queuePatterns) {
    List<Federated> federated = new ArrayList<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      PolicyTable policies = vhost.policies().table();
      boolean byPolicy =
          policies.all(PolicyKind.POLICY).stream().anyMatch(FederatedObjects::federates);
      if (byPolicy) {
        for (ExchangeDefinition exchange : vhost.routing().exchanges()) {
          if (!exchange.isDefault() && !exchange.internal()) {
            selection(policies, PolicySubject.exchange(exchange.name()))
                .map(selection -> federated(vhost.name(), exchange, selection))
                .ifPresent(federated::add);
          }
        }
      }
      Collection<Pattern> patterns = queuePatterns.apply(vhost.name());
      if (!byPolicy && patterns.isEmpty()) {
        continue;
      }
      vhost
          .routing()
          .forEachQueue(
              (name, queue) -> {
                if (queue.definition().exclusive() || queue.isStream()) {
                  return;
                }
                Optional<Selection> given =
                    byPolicy
                        ? selection(policies, PolicySubject.queue(queue.settings().type(), name))
                        : Optional.empty();
                if (given.isPresent()
                    || patterns.stream().anyMatch(pattern -> pattern.matcher(name).find())) {
                  federated.add(federated(vhost.name(), queue, given.orElse(Selection.NONE)));
                }
              });
    }
    return federated;
  }

  private static boolean federates(Policy policy) {
    return KEYS.stream().anyMatch(key -> policy.definition().get(key) != null);
  }

  private static Optional<Selection> selection(PolicyTable policies, PolicySubject subject) {
    EffectiveSettings applying = policies.byPolicies(subject);
    return KEYS.stream()
        .flatMap(key -> applying.value(key).stream())
        .findFirst()
        .map(
            first ->
                new Selection(
                    first.policy(),
                    text(applying, PolicyKey.FEDERATION_UPSTREAM),
                    text(applying, PolicyKey.FEDERATION_UPSTREAM_SET),
                    text(applying, PolicyKey.FEDERATION_UPSTREAM_PATTERN)));
  }

  private static String text(EffectiveSettings settings, PolicyKey key) {
    return settings.value(key).map(value -> (String) value.value()).orElse(null);
  }

  private Federated federated(String vhost, ExchangeDefinition exchange, Selection selection) {
    return new Federated(
        Kind.EXCHANGE,
        vhost,
        exchange.name(),
        exchange.type().wireName(),
        exchange.durable(),
        exchange.autoDelete(),
        ClientValues.of(exchange.arguments()),
        selection,
        hasExchanges.getAsBoolean());
  }

  private static Federated federated(String vhost, Queue queue, Selection selection) {
    return new Federated(
        Kind.QUEUE,
        vhost,
        queue.name(),
        "",
        queue.definition().durable(),
        queue.definition().autoDelete(),
        ClientValues.of(queue.definition().arguments()),
        selection,
        queue.isHere());
  }

  @Override
  public Set<Binding> bindings(String vhost, String exchange) {
    VirtualHost found = broker.virtualHost(vhost);
    return found == null
        ? Set.of()
        : found.routing().bindingsFrom(exchange).stream()
            .map(
                each ->
                    new Binding(
                        List.of(each.routingKey(), each.arguments()),
                        each.routingKey(),
                        ClientValues.of(each.arguments())))
            .collect(Collectors.toSet());
  }

  @Override
  public boolean wantsMessages(String vhost, String queue) {
    VirtualHost found = broker.virtualHost(vhost);
    Queue here = found == null ? null : found.routing().queue(queue);
    if (here == null) {
      return false;
    }
    try {
      DeclaredQueue now =
          here.nearest().lifecycle().status(false).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      return now != null && now.consumers() > 0 && now.messages() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }
}
