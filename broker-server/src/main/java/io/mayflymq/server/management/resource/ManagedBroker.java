package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.store.backup.Backup;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.alarm.ClientMemory;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.clock.ManualTime;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.connection.ConnectionEnvironment;
import io.mayflymq.server.connection.ConnectionView;
import io.mayflymq.server.connection.OpenConnection;
import io.mayflymq.server.definitions.BrokerDefinitions;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.AllNodes;
import io.mayflymq.server.management.cluster.NodeQuestions;
import io.mayflymq.server.standby.PrimaryExport;
import io.mayflymq.server.standby.Standby;
import io.mayflymq.shovel.Shovels;
import io.mayflymq.shovel.federation.Federation;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The broker as the API's resources see it: the objects that a principal may see, in order. Any
 * thread of the API may call; shards are queried in slices.
 */
public final class ManagedBroker {
  private static final Comparator<QueueSnapshot> BY_VHOST_AND_NAME =
      Comparator.<QueueSnapshot, String>comparing(view -> view.queue().vhost().name())
          .thenComparing(view -> view.queue().name());

  /** Says of totals that shards are missing in them. */
  static final String INCOMPLETE = "totals_without_shards_that_do_not_answer";

  /** How long to wait for a shard if the answer can be given without it. */
  private static final long SHORT_MILLIS = 1_000;

  private static final String EVERYTHING = ".*";

  private final ConnectionEnvironment environment;
  private final Administration administration;
  private final BrokerDefinitions definitions;
  private final Backup backup;
  private final Optional<ManualTime> manualTime;
  private final AllNodes nodes;
  private final Shovels shovels;
  private final Federation federation;
  private final Optional<Standby> standby;
  private final PrimaryExport export;

  /**
   * What is managed.
   *
   * @param environment the broker and its connections
   * @param administration what administrators may do
   * @param definitions all that is declared
   * @param backup takes backups of the data directory
   * @param manualTime the time, if it is moved by hand
   * @param others the other nodes of its cluster
   * @param shovels what moves messages between brokers
   * @param federation what gets messages of other brokers
   * @param standby this broker as the standby of another one, if it is
   */
  public ManagedBroker(
      ConnectionEnvironment environment,
      Administration administration,
      BrokerDefinitions definitions,
      Backup backup,
      Optional<ManualTime> manualTime,
      NodeQuestions others,
      Shovels shovels,
      Federation federation,
      Optional<Standby> standby) {
    this.environment = environment;
    this.administration = administration;
    this.definitions = definitions;
    this.backup = backup;
    this.manualTime = manualTime;
    this.nodes = new AllNodes(others);
    this.shovels = shovels;
    this.federation = federation;
    this.standby = standby;
    this.export = new PrimaryExport(environment.broker(), administration.globalParameters());
  }

  public Broker broker() {
    return environment.broker();
  }

  /** Returns by what users log in. */
  public AuthChain logins() {
    return environment.logins();
  }

  public AccessControl accessControl() {
    return environment.accessControl();
  }

  /** Returns how many connections this node may have. */
  int connectionLimit() {
    return environment.settings().node().connections();
  }

  /** Returns how long a delivery may stay unacknowledged by default, in ms; 0 is no limit. */
  long consumerTimeoutMillis() {
    return environment.settings().consumerTimeoutMillis();
  }

  /** Returns what administrators may do. */
  public Administration administration() {
    return administration;
  }

  /** Returns all that is declared, to be exported and imported. */
  public BrokerDefinitions definitions() {
    return definitions;
  }

  /** Returns what takes backups of the data directory. */
  Backup backup() {
    return backup;
  }

  /** Returns the time of the broker, if it is moved by hand. */
  Optional<ManualTime> manualTime() {
    return manualTime;
  }

  /** Tells the virtual hosts that a request asks about: its one, or all that its user sees. */
  Predicate<String> vhostsAsked(Request request) {
    String vhost = request.parameter("vhost");
    Set<String> seen =
        vhosts(request.principal()).stream().map(VirtualHost::name).collect(Collectors.toSet());
    return name -> seen.contains(name) && (vhost == null || vhost.equals(name));
  }

  /** Returns what moves messages between brokers. */
  Shovels shovels() {
    return shovels;
  }

  /** Returns what gets messages of other brokers. */
  Federation federation() {
    return federation;
  }

  /** Returns this broker as the standby of another one, if it is. */
  Optional<Standby> standby() {
    return standby;
  }

  /** Returns what this broker gives to its standby. */
  PrimaryExport export() {
    return export;
  }

  /**
   * Checks that the broker serves clients: a standby does not before it is promoted.
   *
   * @throws ApiException 503
   */
  void requireServing() {
    String refusal = environment.sessions().refusal();
    if (refusal != null) {
      throw new ApiException(503, "unavailable", refusal);
    }
  }

  /** Returns what asks the other nodes of the cluster. */
  public AllNodes nodes() {
    return nodes;
  }

  /** Returns the alarms, which block publishers. */
  Alarms alarms() {
    return environment.alarms();
  }

  /** Returns the memory that is held for clients. */
  ClientMemory clientMemory() {
    return environment.memory();
  }

  // Virtual hosts

  /**
   * Gives who adds a virtual host all permissions in it, as in RabbitMQ; nothing for the token of
   * the control file, which needs none, and for users whose permissions are not here.
   */
  public void permitEverything(Principal principal, String vhost) {
    if (!principal.control() && principal.isInternal()) {
      Futures.await(
          administration
              .permissions()
              .set(principal.user(), vhost, EVERYTHING, EVERYTHING, EVERYTHING));
    }
  }

  /**
   * Returns the virtual hosts that a principal may see, by name: a monitor all, others their own.
   */
  public List<VirtualHost> vhosts(Principal principal) {
    return principal.isMonitor() ? sorted(broker().virtualHosts().stream()) : enterable(principal);
  }

  /** Returns the virtual hosts that a principal may enter, by name. */
  List<VirtualHost> enterable(Principal principal) {
    if (principal.isInternal()) {
      return sorted(broker().virtualHosts().stream().filter(vhost -> mayEnter(principal, vhost)));
    }
    // A service is asked about all of them at once.
    Map<VirtualHost, CompletableFuture<Boolean>> answers = new HashMap<>();
    broker().virtualHosts().forEach(vhost -> answers.put(vhost, ask(principal, vhost)));
    return sorted(answers.keySet().stream().filter(vhost -> Futures.await(answers.get(vhost))));
  }

  private static List<VirtualHost> sorted(Stream<VirtualHost> vhosts) {
    return vhosts.sorted(Comparator.comparing(VirtualHost::name)).toList();
  }

  private CompletableFuture<Boolean> ask(Principal principal, VirtualHost vhost) {
    return logins().mayEnter(principal.login(), vhost.name(), principal.address());
  }

  /**
   * Returns the virtual host that a request names and its principal may see.
   *
   * @throws ApiException 404, also if there is one that the principal may not see, as in RabbitMQ
   *     4: the names of virtual hosts cannot be tried
   */
  public VirtualHost visibleVhost(Request request) {
    VirtualHost vhost = existing(request);
    if (!request.principal().isMonitor()) {
      requireEntrance(request.principal(), vhost);
    }
    return vhost;
  }

  /**
   * Returns the virtual host that a request names and its principal may use.
   *
   * @throws ApiException 404
   */
  VirtualHost usableVhost(Request request) {
    VirtualHost vhost = existing(request);
    requireEntrance(request.principal(), vhost);
    return vhost;
  }

  /** Returns the same virtual host, with the other error that RabbitMQ has for a missing one. */
  VirtualHost usableVhostToPutInto(Request request) {
    VirtualHost vhost = broker().virtualHost(request.parameter("vhost"));
    if (vhost == null || !mayEnter(request.principal(), vhost)) {
      throw vhostNotFound(request);
    }
    return vhost;
  }

  private ApiException vhostNotFound(Request request) {
    return ApiException.missing(
        "vhost_not_found", noVhost(request.parameter("vhost"), request.principal()));
  }

  private String noVhost(String name, Principal principal) {
    return Missing.vhost(name, principal, vhosts(principal));
  }

  /** Returns what a principal may do in each virtual host that is usable for him, by name. */
  Map<String, VhostAccess> access(Principal principal) {
    return enterable(principal).stream()
        .collect(Collectors.toMap(VirtualHost::name, vhost -> access(principal, vhost)));
  }

  /** Returns the virtual hosts that a principal may use, by name; an administrator all. */
  public List<VirtualHost> ownVhosts(Principal principal) {
    return principal.isAdministrator()
        ? sorted(broker().virtualHosts().stream())
        : enterable(principal);
  }

  /**
   * Returns the virtual host that a request names and its principal may use, or any as an
   * administrator.
   *
   * @throws ApiException 404
   */
  public VirtualHost ownVhost(Request request) {
    VirtualHost vhost = existing(request);
    if (!isOwn(request.principal(), vhost)) {
      throw ApiException.notFound(noVhost(vhost.name(), request.principal()));
    }
    return vhost;
  }

  /** Returns the same virtual host, with the other error that RabbitMQ has for a missing one. */
  public VirtualHost ownVhostToPutInto(Request request) {
    VirtualHost vhost = broker().virtualHost(request.parameter("vhost"));
    if (vhost == null || !isOwn(request.principal(), vhost)) {
      throw vhostNotFound(request);
    }
    return vhost;
  }

  /** Returns whether a principal may use a virtual host; an administrator any. */
  public boolean isOwn(Principal principal, VirtualHost vhost) {
    return principal.isAdministrator() || mayEnter(principal, vhost);
  }

  private VirtualHost existing(Request request) {
    VirtualHost vhost = broker().virtualHost(request.parameter("vhost"));
    if (vhost == null) {
      throw ApiException.notFound(noVhost(request.parameter("vhost"), request.principal()));
    }
    return vhost;
  }

  /**
   * Checks that there are the virtual host and the user that a request names.
   *
   * @throws ApiException 400
   */
  public void requireVhostAndUser(Request request) {
    if (broker().virtualHost(request.parameter("vhost")) == null
        || accessControl().state().user(request.parameter("user")) == null) {
      throw ApiException.badRequest("vhost_or_user_not_found");
    }
  }

  private void requireEntrance(Principal principal, VirtualHost vhost) {
    if (!mayEnter(principal, vhost)) {
      throw ApiException.notFound(noVhost(vhost.name(), principal));
    }
  }

  private boolean mayEnter(Principal principal, VirtualHost vhost) {
    return principal.control() || Futures.await(ask(principal, vhost));
  }

  /**
   * Returns what a principal may do in a virtual host that is usable for him, for threads of the
   * API: it waits where a service is asked.
   */
  VhostAccess access(Principal principal, QueueHost vhost) {
    VhostAccess access = accessOnShard(principal, vhost);
    return principal.isInternal() ? access : new WaitingAccess(access);
  }

  /**
   * Returns the same for the thread of a shard, which may not wait: a check throws {@link
   * io.mayflymq.core.security.AnswerAwaitedException} where a service is asked.
   */
  VhostAccess accessOnShard(Principal principal, QueueHost vhost) {
    if (principal.control()) {
      return accessControl().unrestrictedAccess(principal.user(), vhost.name());
    }
    try {
      return logins().access(principal.login(), vhost.name());
    } catch (ConnectionException e) {
      // The permission was removed since it was checked.
      throw ApiException.notFound(noVhost(vhost.name(), principal));
    }
  }

  // Queues

  /**
   * Returns how the queues of these virtual hosts are now that are on this node, by virtual host
   * and name.
   */
  List<QueueSnapshot> queues(Collection<VirtualHost> vhosts) {
    return Futures.await(ShardQuery.collect(queuesHere(vhosts), Queue::shard, QueueSnapshot::of))
        .stream()
        .sorted(BY_VHOST_AND_NAME)
        .toList();
  }

  private static List<Queue> queuesHere(Collection<VirtualHost> vhosts) {
    return vhosts.stream()
        .flatMap(vhost -> vhost.routing().queues().stream())
        .filter(Queue::isHere)
        .toList();
  }

  /** Returns how these queues are now, in their order, without those that are deleted. */
  List<QueueSnapshot> snapshots(List<Queue> queues) {
    Map<Queue, QueueSnapshot> found = new HashMap<>();
    Futures.await(ShardQuery.collect(queues, Queue::shard, QueueSnapshot::of))
        .forEach(snapshot -> found.put(snapshot.queue(), snapshot));
    return queues.stream().map(found::get).filter(Objects::nonNull).toList();
  }

  /**
   * What queues have together, and how many connections and channels are open, as far as the shards
   * answer.
   */
  record Open(QueueSizes queues, int connections, int channels, boolean complete) {}

  /**
   * Returns the queues of these virtual hosts, and the numbers of a principal's open connections
   * and channels. Shards that do not answer soon are left out.
   */
  Open open(Principal principal, Collection<VirtualHost> vhosts) {
    var queues =
        ShardQuery.collectWithin(
            SHORT_MILLIS, queuesHere(vhosts), Queue::shard, QueueSnapshot::sizes);
    var connections =
        ShardQuery.collectWithin(
            SHORT_MILLIS,
            environment.open(),
            OpenConnection::home,
            connection -> {
              ConnectionView view = connection.view();
              return view == null || !principal.maySee(view.identity().user())
                  ? null
                  : connection.channelViews().size();
            });
    ShardQuery.Seen<QueueSizes> seen = Futures.await(queues);
    ShardQuery.Seen<Integer> opened = Futures.await(connections);
    return new Open(
        QueueSizes.sum(seen.views()),
        opened.views().size(),
        opened.views().stream().mapToInt(channels -> channels).sum(),
        seen.complete() && opened.complete());
  }

  /**
   * Returns how the queues of these virtual hosts are now; shards that do not answer soon are left
   * out.
   */
  ShardQuery.Seen<QueueSnapshot> answeringQueues(Collection<VirtualHost> vhosts) {
    return Futures.await(beginQueues(vhosts));
  }

  private static CompletableFuture<ShardQuery.Seen<QueueSnapshot>> beginQueues(
      Collection<VirtualHost> vhosts) {
    return ShardQuery.collectWithin(
        SHORT_MILLIS, queuesHere(vhosts), Queue::shard, QueueSnapshot::of);
  }

  /** Returns what the stores of partitions have done; those that do not answer are left out. */
  List<StoreStats> stores() {
    return Futures.await(
            ShardQuery.collectWithin(
                SHORT_MILLIS,
                broker().partitions().withStores(),
                Partition::shard,
                partition -> partition.store().figures()))
        .views();
  }

  /** Returns how many connections there are. Waits for no shard. */
  int connectionCount() {
    return environment.open().size();
  }

  /**
   * Returns the current state of a queue of this node.
   *
   * @throws ApiException 404
   */
  QueueSnapshot queue(VirtualHost vhost, String name) {
    Queue queue = vhost.routing().queue(name);
    List<QueueSnapshot> found =
        queue == null || !queue.isHere()
            ? List.of()
            : Futures.await(ShardQuery.collect(List.of(queue), Queue::shard, QueueSnapshot::of));
    if (found.isEmpty()) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    }
    return found.get(0);
  }

  /**
   * Returns the queue that a request names and that its principal may do something to: an exclusive
   * one is its connection's.
   *
   * @throws ApiException 404, 401 or 400
   */
  Queue usableQueue(Request request, Permission permission) {
    VirtualHost vhost = usableVhost(request);
    String name = request.parameter("queue");
    if (vhost.routing().queue(name) == null) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    }
    access(request.principal(), vhost).check(ResourceKind.QUEUE, name, permission);
    return vhost.queue(name, request.principal());
  }

  /**
   * Makes a handler of something of a queue answer on the node of the queue, which a request names.
   *
   * @param here answers on that node
   */
  RequestRouter.Handler atHome(RequestRouter.Handler here) {
    return atHome(here, (vhost, request) -> vhost.routing().queue(request.parameter("queue")));
  }

  /**
   * Does the same for another kind of queue.
   *
   * @param which finds the queue that a request names; null if there is none
   */
  RequestRouter.Handler atHome(
      RequestRouter.Handler here, BiFunction<VirtualHost, Request, Queue> which) {
    return request -> {
      VirtualHost vhost = broker().virtualHost(request.parameter("vhost"));
      Queue queue = vhost == null ? null : which.apply(vhost, request);
      if (queue == null || queue.isHere()) {
        return here.handle(request);
      }
      String node = queue.home().node();
      return nodes
          .passOn(node, request)
          .orElseThrow(
              () ->
                  new ApiException(
                      503,
                      "unavailable",
                      "node %s of %s cannot be reached, or does not answer"
                          .formatted(node, queue)));
    };
  }

  /**
   * Declares on the node that the body names, as if the client were connected to it; on this one if
   * it names none.
   *
   * @throws ApiException 400 if that is no node of the cluster, 503 if it does not answer
   */
  Response onNamedNode(Request request, Supplier<Response> here) {
    String node = request.body().fields().text("node", NodeName.value());
    if (node.equals(NodeName.value())) {
      return here.get();
    }
    if (broker().cluster().stream()
        .flatMap(cluster -> cluster.nodes().stream())
        .noneMatch(peer -> peer.name().equals(node))) {
      throw ApiException.badRequest("Node %s is not a cluster member".formatted(node));
    }
    return nodes
        .passOn(node, request)
        .orElseThrow(
            () ->
                new ApiException(
                    503,
                    "unavailable",
                    "node %s cannot be reached, or does not answer".formatted(node)));
  }

  // Connections

  /** A connection, and how it is now. */
  record Connected(OpenConnection connection, ConnectionView view) {}

  /** Returns the connections that a principal may see, by name: a monitor all, others their own. */
  List<Connected> connections(Principal principal) {
    return Futures.await(
            ShardQuery.collect(
                environment.open(),
                OpenConnection::home,
                connection -> {
                  ConnectionView view = connection.view();
                  return view == null ? null : new Connected(connection, view);
                }))
        .stream()
        .filter(found -> principal.maySee(found.view.identity().user()))
        .sorted(Comparator.comparing(found -> found.view.identity().name()))
        .toList();
  }

  /**
   * Returns the connection of this name, or this identifier in the form of a process's.
   *
   * @throws ApiException 404
   */
  Connected connection(Principal principal, String name) {
    return connections(principal).stream()
        .filter(
            found ->
                found.view.identity().name().equals(name)
                    || found.view.identity().pid().equals(name))
        .findFirst()
        .orElseThrow(() -> ApiException.notFound(Missing.other("connection", name)));
  }

  /** Returns the channels that a principal may see, by name. */
  List<ChannelView> channels(Principal principal) {
    return Futures.await(
            ShardQuery.collect(
                environment.open(), OpenConnection::home, OpenConnection::channelViews))
        .stream()
        .flatMap(List::stream)
        .filter(view -> principal.maySee(view.identity().connection().user()))
        .sorted(
            Comparator.<ChannelView, String>comparing(view -> view.identity().connection().name())
                .thenComparing(view -> view.identity().number()))
        .toList();
  }
}
