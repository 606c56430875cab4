package io.mayflymq.shovel.federation;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.client.InnerEntrance;
import io.mayflymq.shovel.parameter.Adjustments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Federation of a broker: a link for each exchange and queue that a policy federates or an upstream
 * names, and each of its upstreams. Without upstreams there is no thread, and no class of the
 * client is loaded. Any thread may call.
 */
public final class Federation implements AutoCloseable {
  /** The component of upstreams. */
  public static final String UPSTREAM = "federation-upstream";

  /** The component of sets of upstreams. */
  public static final String SET = "federation-upstream-set";

  private static final Logger LOGGER = LoggerFactory.getLogger(Federation.class);

  /** How often it looks whether exchanges, queues, bindings or policies have changed. */
  private static final long LOOK_MILLIS = 10;

  /**
   * What it needs of the broker.
   *
   * @param administration has the parameters
   * @param json reads JSON as Java has it
   * @param objects the exchanges and queues
   * @param inner leads to the broker itself
   * @param cluster the name of the cluster
   * @param threads makes its threads
   */
  public record Surroundings(
      Administration administration,
      Function<String, Object> json,
      LocalObjects objects,
      InnerEntrance inner,
      Supplier<String> cluster,
      BrokerThreads threads) {}

  /** What makes a link this one: with another key, what it has at the upstream is not wanted. */
  private record Key(
      Federated.Kind kind, String vhost, String name, String upstream, String upstreamObject) {}

  /** What a link is made of. */
  private record Wanted(Federated federated, Upstream upstream) {
    Key key() {
      return new Key(
          federated.kind(),
          federated.vhost(),
          federated.name(),
          upstream.name(),
          upstream.nameOf(federated));
    }
  }

  private final Map<Key, Link> links = new ConcurrentHashMap<>();

  /** Those of the links that are being stopped. */
  private final Set<Link> ending = ConcurrentHashMap.newKeySet();

  private final Adjustments adjustments = new Adjustments("federation");

  /** Null before the first link. For the thread of adjustments. */
  private BrokerConnections connections;

  /** Looks for changes; null without upstreams. For the thread of adjustments. */
  private PeriodicWork watch;

  /** What {@link LocalObjects#version} was when it was looked at last. For the watch. */
  private Object seen;

  /** Returns what has parameters: upstreams, and sets of them. */
  public List<ParameterComponent> components() {
    return List.of(new UpstreamComponent(), new SetComponent());
  }

  private final class UpstreamComponent implements ParameterComponent {
    @Override
    public String name() {
      return UPSTREAM;
    }

    @Override
    public List<String> problems(String name, Object value, Predicate<String> mayUse) {
      UpstreamParser.Parsed parsed = UpstreamParser.parse(name, value);
      return parsed.upstream() == null
          ? parsed.problems()
          : parsed.upstream().uris().stream()
              .filter(BrokerUri::isLocal)
              .map(BrokerUri::vhost)
              .distinct()
              .filter(mayUse.negate())
              .map("there is no vhost \"%s\" that you may use"::formatted)
              .toList();
    }

    @Override
    public Object masked(Object value) {
      return UpstreamParser.masked(value);
    }

    @Override
    public void changed() {
      Federation.this.changed();
    }
  }

  private final class SetComponent implements ParameterComponent {
    @Override
    public String name() {
      return SET;
    }

    @Override
    public List<String> problems(String name, Object value, Predicate<String> mayUse) {
      return UpstreamParser.problemsOfSet(name, value);
    }

    @Override
    public Object masked(Object value) {
      return value;
    }

    @Override
    public void changed() {
      Federation.this.changed();
    }
  }

  /** Begins to run links. */
  public void start(Surroundings broker) {
    adjustments.start(broker.threads(), () -> adjust(broker));
    if (broker.administration().parameters().any(UPSTREAM)) {
      changed();
    }
  }

  /** Parameters, or what belongs to this node, may have changed. Does not block. */
  public void changed() {
    adjustments.changed();
  }

  /** Stops what is not wanted any more, and starts what is missing. */
  private void adjust(Surroundings broker) {
    boolean any = broker.administration().parameters().any(UPSTREAM);
    if (any && watch == null) {
      connections = new BrokerConnections(broker.threads(), broker.inner());
      watch = broker.threads().periodic("federation-watch");
      watch.every("look for federated objects", LOOK_MILLIS, () -> look(broker.objects()));
    }
    Map<Key, Wanted> wanted = new LinkedHashMap<>();
    if (any) {
      wanted(broker).forEach(each -> wanted.put(each.key(), each));
    }
    Map<Key, Link> unwanted = new HashMap<>();
    links.forEach(
        (key, link) -> {
          Wanted now = wanted.get(key);
          if (ending.contains(link)) {
            if (now == null) {
              link.dissolve();
            }
          } else if (now == null) {
            link.dissolve();
            unwanted.put(key, link);
          } else if (!now.federated.isHere()
              || !now.equals(new Wanted(link.federated(), link.upstream()))) {
            // It begins anew, perhaps on another node: what it has at the upstream stays.
            link.end();
            unwanted.put(key, link);
          } else if (link instanceof ExchangeLink exchange) {
            exchange.bindingsMayHaveChanged();
          }
        });
    if (!unwanted.isEmpty()) {
      ending.addAll(unwanted.values());
      // One that does not get an answer takes seconds, for which the others do not wait.
      broker.threads().auxiliary("federation-end", () -> finish(unwanted)).start();
    }
    wanted.forEach(
        (key, each) -> {
          if (each.federated.isHere() && !links.containsKey(key)) {
            Link link = link(each, broker);
            links.put(key, link);
            link.start();
          }
        });
    if (!any && watch != null && links.isEmpty()) {
      watch.close();
      watch = null;
      connections.close();
      connections = null;
    }
  }

  /** Waits until links have stopped. */
  private void finish(Map<Key, Link> unwanted) {
    unwanted.forEach(
        (key, link) -> {
          try {
            finish(link);
          } catch (RuntimeException e) {
            LOGGER.error("{} has not stopped in order", link, e);
          } finally {
            links.remove(key, link);
            ending.remove(link);
            changed();
          }
        });
  }

  private static void finish(Link link) {
    link.stop();
    LOGGER.info("{} has stopped", link);
    if (link.dissolves() && link.leftAtUpstream() != null && !link.upstream().keepsQueue()) {
      LOGGER.warn(
          "{} could not delete its queue at the upstream, '{}'", link, link.leftAtUpstream());
    }
  }

  private List<Wanted> wanted(Surroundings broker) {
    Map<String, Upstreams> byVhost = new HashMap<>();
    Function<String, Upstreams> upstreams =
        vhost ->
            byVhost.computeIfAbsent(
                vhost,
                absent ->
                    new Upstreams(
                        absent, broker.administration().parameters().list(), broker.json()));
    List<Wanted> wanted = new ArrayList<>();
    for (Federated each :
        broker.objects().federated(vhost -> upstreams.apply(vhost).queuePatterns())) {
      upstreams
          .apply(each.vhost())
          .of(each)
          .forEach(upstream -> wanted.add(new Wanted(each, upstream)));
    }
    return wanted;
  }

  private Link link(Wanted wanted, Surroundings broker) {
    return wanted.federated.kind() == Federated.Kind.EXCHANGE
        ? new ExchangeLink(
            wanted.federated,
            wanted.upstream,
            broker.objects(),
            broker.cluster(),
            connections,
            broker.threads())
        : new QueueLink(
            wanted.federated, wanted.upstream, broker.objects(), connections, broker.threads());
  }

  private void look(LocalObjects objects) {
    Object version = objects.version();
    if (!version.equals(seen)) {
      seen = version;
      changed();
    }
  }

  /** Returns what the links of this node do, by virtual host and name. */
  public List<LinkStatus> statuses() {
    return links.values().stream()
        .map(Link::status)
        .sorted(
            Comparator.comparing((LinkStatus status) -> status.federated().vhost())
                .thenComparing(status -> status.federated().name())
                .thenComparing(LinkStatus::upstream))
        .toList();
  }

  /**
   * Stops a link and starts it anew, if it runs on this node; what it has at the upstream stays.
   *
   * @return whether there is one
   */
  public boolean restart(String vhost, String id) {
    Optional<Map.Entry<Key, Link>> found =
        links.entrySet().stream()
            .filter(entry -> entry.getKey().vhost.equals(vhost))
            .filter(entry -> entry.getValue().id().equals(id))
            .findFirst();
    found.ifPresent(
        entry -> {
          entry.getValue().stop();
          links.remove(entry.getKey(), entry.getValue());
          changed();
        });
    return found.isPresent();
  }

  /** Stops all links in order. What they have at upstreams stays. */
  @Override
  public void close() {
    if (!adjustments.stop()) {
      return;
    }
    if (watch == null) {
      return;
    }
    watch.close();
    // All at once, then each.
    links.values().forEach(Link::end);
    links.values().forEach(Link::stop);
    links.clear();
    connections.close();
  }
}
