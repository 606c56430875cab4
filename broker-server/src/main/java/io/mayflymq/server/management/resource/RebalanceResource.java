package io.mayflymq.server.management.resource;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.AllNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Moves queues, and has other nodes lead replicated ones, so that the nodes of the cluster have
 * equally many. As in RabbitMQ a request begins it, and is answered at once.
 *
 * <p>Queues share replicated partitions: one is led by another node if it has a queue that is
 * selected, and with all its queues.
 */
public final class RebalanceResource implements AutoCloseable {
  private static final RebalancePlan NOTHING = RebalancePlan.of(List.of(), List.of());

  private final Broker broker;
  private final Rebalancing rebalancing;

  public RebalanceResource(Broker broker, AllNodes nodes, BrokerThreads threads) {
    this.broker = broker;
    this.rebalancing = new Rebalancing(new QueueMover(broker, nodes), threads);
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("rebalance/queues", this::progress)
        .post("rebalance/queues", this::begin)
        .post("rebalance/queues/dry-run", this::dryRun);
  }

  private Response begin(Request request) {
    request.principal().requireAdministrator();
    RebalancePlan plan = plan(request);
    if (!rebalancing.begin(plan, request.principal().user())) {
      throw new ApiException(409, "refused", "this node is rebalancing queues already");
    }
    return Response.noContent();
  }

  private Response dryRun(Request request) {
    request.principal().requireAdministrator();
    return Response.ok(RebalanceProgress.afterwards(plan(request)).json());
  }

  private Response progress(Request request) {
    request.principal().requireMonitor();
    RebalanceProgress last = rebalancing.progress();
    return Response.ok((last == null ? RebalanceProgress.afterwards(NOTHING) : last).json());
  }

  private RebalancePlan plan(Request request) {
    QueueSelection selection = QueueSelection.of(request.body().fields());
    Set<String> nodes = nodes();
    Map<Boolean, List<Queue>> byReplicas =
        broker.virtualHosts().stream()
            .flatMap(vhost -> vhost.routing().queues().stream())
            .filter(selection::includes)
            .collect(Collectors.partitioningBy(Queue::isReplicated));
    List<Placed> all = new ArrayList<>();
    byReplicas
        .get(false)
        .forEach(
            queue ->
                all.add(
                    new Placed(OptionalInt.empty(), List.of(named(queue)), nodeOf(queue), nodes)));
    byReplicas.get(true).stream()
        .collect(
            Collectors.groupingBy(Queue::replicatedPartition, TreeMap::new, Collectors.toList()))
        .forEach((partition, queues) -> all.add(led(partition, queues)));
    return RebalancePlan.of(nodes, all);
  }

  /** Each replica in sync can lead. */
  private static Placed led(int partition, List<Queue> queues) {
    QueueReplicas replicas = queues.get(0).replicas();
    return new Placed(
        OptionalInt.of(partition),
        queues.stream().map(RebalanceResource::named).toList(),
        replicas.leader(),
        Set.copyOf(replicas.inSync()));
  }

  private static Placed.Queue named(Queue queue) {
    return new Placed.Queue(queue.vhost().name(), queue.name(), QueueSelection.typeOf(queue));
  }

  private static String nodeOf(Queue queue) {
    return queue.isHere() ? NodeName.value() : queue.home().node();
  }

  /** Those that can take queues. */
  private Set<String> nodes() {
    return broker
        .cluster()
        .map(
            cluster ->
                cluster.nodes().stream()
                    .filter(node -> node.isReachable() && !node.isDrained())
                    .map(Cluster.Peer::name)
                    .collect(Collectors.toSet()))
        .orElseGet(() -> Set.of(NodeName.value()));
  }

  /** Begins no further move. */
  @Override
  public void close() {
    rebalancing.close();
  }
}
