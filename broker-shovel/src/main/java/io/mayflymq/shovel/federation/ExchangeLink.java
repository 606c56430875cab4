package io.mayflymq.shovel.federation;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.federation.LocalObjects.Binding;
import io.mayflymq.shovel.transfer.Declarations;
import io.mayflymq.shovel.transfer.Route;
import io.mayflymq.shovel.transfer.Transfer;
import io.mayflymq.shovel.transfer.TransferException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Gets those messages of an exchange of an upstream that the bindings here ask for.
 *
 * <p>At the upstream there is a queue, and before it an exchange that only this link uses: it has
 * the bindings of the exchange here, and drops messages that have passed enough links. Its name
 * ends with A or B, by turns: a link that begins builds a new one, and deletes the one before when
 * all is bound, so no message and no change of bindings is missed.
 *
 * <p>Names and headers are those of RabbitMQ, so that either side may be one.
 */
final class ExchangeLink extends Link {
  private static final String BOUND_FROM = "x-bound-from";
  private static final String HOPS = "hops";
  private static final String TYPE = "x-federation-upstream";
  private static final String END = "upstream";

  private final LocalObjects objects;
  private final Supplier<String> cluster;

  /** The bindings that the upstream has, and their arguments there. For its thread. */
  private final Map<Binding, Map<String, Object>> bound = new HashMap<>();

  /** The queue at the upstream; null if it is not there, or not known. */
  private volatile String declared;

  /** What to do when bindings have changed; null while it does not run. */
  private volatile Transfer.Action changed;

  /**
   * @param objects has the bindings of the exchange
   * @param cluster the name of this cluster
   */
  ExchangeLink(
      Federated federated,
      Upstream upstream,
      LocalObjects objects,
      Supplier<String> cluster,
      BrokerConnections connections,
      BrokerThreads threads) {
    super(federated, upstream, connections, threads);
    this.objects = objects;
    this.cluster = cluster;
  }

  @Override
  String leftAtUpstream() {
    return declared;
  }

  @Override
  void link(Ends ends) throws IOException, TransferException, InterruptedException {
    Connection connection = ends.upstream().connection();
    String vhost = ends.upstream().uri().vhost();
    String queue = queueName(vhost);
    Channel commands;
    String own;
    try {
      declareExchange(connection);
      boolean hasFirst = Declarations.hasExchange(connection, queue + " A");
      boolean hasSecond = Declarations.hasExchange(connection, queue + " B");
      own = queue + (hasFirst && !hasSecond ? " B" : " A");
      commands = connection.createChannel();
      commands.queueDeclare(queue, true, false, false, queueArguments());
      declared = queue;
      commands.exchangeDeclare(own, TYPE, true, true, true, exchangeArguments());
      commands.queueBind(queue, own, "");
      bound.clear();
      propagate(commands, own, connection, vhost);
      if (hasFirst || hasSecond) {
        commands.exchangeDelete(queue + (hasSecond ? " B" : " A"));
      }
    } catch (IOException e) {
      throw Declarations.failed(END, e);
    }
    ReceivedForm form =
        new ReceivedForm(federated().kind(), place(ends.upstream()), upstream().trustUserId());
    Transfer moving =
        new Transfer(
            route(queue),
            ends.upstream(),
            connection.createChannel(),
            ends.here(),
            form,
            progress());
    running(ends.upstream().uri());
    Transfer.Action propagation = () -> propagate(commands, own, connection, vhost);
    changed = propagation;
    try {
      // Once at the beginning: for what has changed since they were bound.
      moving.perform(propagation);
      move(moving, Transfer::run);
    } finally {
      changed = null;
    }
    if (dissolves() && !upstream().keepsQueue()) {
      commands.queueDelete(queue);
      commands.exchangeDelete(own);
      declared = null;
    }
  }

  /** The bindings of the exchange may have changed. Does not block. */
  void bindingsMayHaveChanged() {
    Transfer.Action action = changed;
    if (action != null) {
      perform(action);
    }
  }

  private Route route(String queue) {
    return new Route(
        queue,
        upstream().prefetch(),
        "",
        // With a TTL of that queue, what a message has left is not its own.
        upstream().messageTtlMillis() < 0 ? Route.keepingTtl(Map.of()) : Map.of(),
        Route.NO_LIMIT,
        false,
        federated().name(),
        null,
        true,
        upstream().ackMode());
  }

  private void declareExchange(Connection connection) throws IOException {
    String exchange = upstreamObject();
    if (!Declarations.hasExchange(connection, exchange)) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare(
          exchange,
          federated().type(),
          federated().durable(),
          federated().autoDelete(),
          false,
          federated().arguments());
      channel.abort();
    }
  }

  private String queueName(String upstreamVhost) {
    String here = cluster.get();
    if (!upstreamVhost.equals(federated().vhost())) {
      here += ":" + federated().vhost() + ":" + federated().name();
    } else if (!upstreamObject().equals(federated().name())) {
      here += ":" + federated().name();
    }
    return "federation: %s -> %s".formatted(upstreamObject(), here);
  }

  private Map<String, Object> queueArguments() {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("x-queue-type", upstream().queueType());
    arguments.put("x-internal-purpose", "federation");
    if (upstream().expiresMillis() > 0) {
      arguments.put("x-expires", upstream().expiresMillis());
    }
    if (upstream().messageTtlMillis() >= 0) {
      arguments.put("x-message-ttl", upstream().messageTtlMillis());
    }
    return arguments;
  }

  private Map<String, Object> exchangeArguments() {
    Map<String, Object> arguments = new LinkedHashMap<>();
    arguments.put("x-max-hops", (long) upstream().maxHops());
    arguments.put("x-downstream-name", cluster.get());
    arguments.put("x-downstream-vhost", federated().vhost());
    arguments.put("x-internal-purpose", "federation");
    return arguments;
  }

  /** Binds and unbinds at the upstream what has changed here since the last time. */
  private void propagate(Channel commands, String own, Connection connection, String vhost)
      throws IOException {
    Set<Binding> wanted = objects.bindings(federated().vhost(), federated().name());
    if (wanted.equals(bound.keySet())) {
      return;
    }
    String upstreamCluster = clusterOf(connection);
    for (Binding binding : wanted) {
      if (!bound.containsKey(binding)) {
        Map<String, Object> arguments = passedOn(binding, own, upstreamCluster, vhost);
        if (arguments != null) {
          commands.exchangeBindNoWait(own, upstreamObject(), binding.key(), arguments);
        }
        bound.put(binding, arguments);
      }
    }
    Set<Binding> gone = new HashSet<>(bound.keySet());
    gone.removeAll(wanted);
    for (Binding binding : gone) {
      Map<String, Object> arguments = bound.remove(binding);
      if (arguments != null) {
        commands.exchangeUnbindNoWait(own, upstreamObject(), binding.key(), arguments);
      }
    }
    // Answered when all before it is done.
    commands.exchangeDeclarePassive(own);
  }

  /**
   * Returns the arguments that a binding has at the upstream; null if it is not passed on, as it
   * has come from there, or over as many links as it may.
   */
  private Map<String, Object> passedOn(
      Binding binding, String own, String upstreamCluster, String upstreamVhost) {
    int hops = upstream().maxHops();
    List<Object> path = new ArrayList<>();
    if (binding.arguments().get(BOUND_FROM) instanceof List<?> earlier) {
      for (Object place : earlier) {
        if (place instanceof Map<?, ?> fields
            && upstreamCluster.equals(String.valueOf(fields.get("cluster-name")))
            && upstreamVhost.equals(String.valueOf(fields.get("vhost")))) {
          return null;
        }
      }
      if (!earlier.isEmpty()
          && earlier.get(0) instanceof Map<?, ?> last
          && last.get(HOPS) instanceof Number left) {
        hops = Math.min(hops, left.intValue() - 1);
      }
      path.addAll(earlier);
    }
    if (hops <= 0) {
      return null;
    }
    Map<String, Object> place = new LinkedHashMap<>();
    place.put("cluster-name", cluster.get());
    place.put("vhost", federated().vhost());
    place.put(
        "exchange",
        "%s:%s %s"
            .formatted(federated().vhost(), federated().name(), own.substring(own.length() - 1)));
    place.put(HOPS, (short) hops);
    path.add(0, place);
    Map<String, Object> arguments = new LinkedHashMap<>(binding.arguments());
    arguments.put(BOUND_FROM, path);
    return arguments;
  }
}
