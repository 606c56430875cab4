package io.mayflymq.cluster.metadata;

import io.mayflymq.cluster.remote.RemoteNode;
import io.mayflymq.cluster.remote.RemoteQueue;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.deathjournal.MemoryDeathJournal;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.LiveMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.DirectReply;
import io.mayflymq.core.vhost.ReplicaOperations;
import io.mayflymq.core.vhost.ReplicaState;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Nodes that share a replicated log, on loops and disks that move when they are told to. The log is
 * a list: which proposal comes next, which is lost, and how far each node has applied it is decided
 * by the test.
 */
final class SimulatedCluster {
  private static final int SHARDS = 2;
  private static final int DEFAULT_REPLICAS = 3;

  /** Far more than there are requests. */
  private static final int MOST_RETRIES = 1000;

  private record Proposal(Node from, ByteBuffer entry, CompletableFuture<Void> added) {}

  private final List<ByteBuffer> log = new ArrayList<>();
  private final Deque<Proposal> proposals = new ArrayDeque<>();
  final List<Node> nodes = new ArrayList<>();

  /** The numbers of the nodes that new queues avoid. */
  final Set<Integer> drained = new TreeSet<>();

  /** Between the nodes; null where only metadata are tested. */
  private final SimulatedLinks links;

  /** Begins with so many nodes, all of them members, of which only metadata are tested. */
  SimulatedCluster(int count) {
    this(count, null);
  }

  /** Begins with so many nodes that serve one another's queues. */
  SimulatedCluster(int count, SimulatedLinks links) {
    this.links = links;
    for (int number = 0; number < count; number++) {
      LiveMetadataLog kept = new LiveMetadataLog();
      for (int other = 0; other < count; other++) {
        ClusterMember member =
            new ClusterMember(
                other,
                new UUID(0, other),
                "node%d@host".formatted(other),
                "host:1",
                ClusterMember.State.SERVING,
                ChangeVersions.highest());
        kept.append(List.of(new MetadataCommand.MemberSet(member)));
      }
      nodes.add(new Node(number, kept));
    }
  }

  /** A random proposal reaches a majority. */
  void commit(Random random) {
    Proposal next = take(random);
    if (next != null) {
      log.add(next.entry);
      next.added.complete(null);
    }
  }

  /** A random proposal fails for its node; it may have reached a majority all the same. */
  void lose(Random random) {
    Proposal next = take(random);
    if (next != null) {
      if (random.nextBoolean()) {
        log.add(next.entry);
      }
      next.added.completeExceptionally(new IOException("no majority"));
    }
  }

  private Proposal take(Random random) {
    if (proposals.isEmpty()) {
      return null;
    }
    for (int skip = random.nextInt(proposals.size()); skip > 0; skip--) {
      proposals.addLast(proposals.removeFirst());
    }
    return proposals.removeFirst();
  }

  /** Everything that waits happens, on all nodes. */
  void settle(Random random) {
    boolean any = true;
    int before = log.size() + proposals.size();
    while (any) {
      if (log.size() > before + MOST_RETRIES) {
        throw new AssertionError(
            "nodes never rest: "
                + ChangeEntry.decode(log.get(log.size() - 1).array()).units().stream()
                    .map(ChangeEntry.Unit::commands)
                    .toList());
      }
      any = !proposals.isEmpty();
      commit(random);
      for (Node node : nodes) {
        any |= node.applyNext();
        any |= node.metadata.write();
        any |= node.runInBackground();
        any |= node.runLoops();
        any |= node.host.flush();
      }
    }
  }

  /** A process on a disk that outlives it. */
  final class Node implements Cluster, ReplicaPlacement.Nodes {
    final int number;

    /** Where queues go that are not for this node. */
    int leastLoaded;

    LiveMetadataLog metadata;
    ManualLoops loops;
    Broker broker;
    Administration administration;
    RecordedFaults faults;
    PartitionAssignments replicated;
    private ReplicaPlacement placement;
    private ChangeProposer proposer;
    private ChangeApplier applier;
    private int applied;
    private MemoryHost host = new MemoryHost();
    private Map<Integer, RemoteNode> homes = new HashMap<>();
    private final Deque<Runnable> background = new ArrayDeque<>();

    Node(int number, LiveMetadataLog kept) {
      this.number = number;
      this.leastLoaded = number;
      start(kept);
    }

    private void start(LiveMetadataLog kept) {
      metadata = kept;
      metadata.writeAtOnce(true);
      loops = loops == null ? ManualLoops.of(SHARDS) : ManualLoops.of(SHARDS, loops.clock());
      loops.all().forEach(loop -> loop.runAtOnce(true));
      host.runAtOnce(true);
      homes = new HashMap<>();
      background.clear();
      List<MetadataCommand> recovered = metadata.recover();
      Applied position = null;
      for (MetadataCommand command : recovered) {
        if (command instanceof Applied found) {
          position = found;
        }
      }
      applied = position == null ? 0 : (int) position.index() + 1;
      Node incarnation = this;
      proposer =
          new ChangeProposer(
              entry -> {
                CompletableFuture<Void> added = new CompletableFuture<>();
                proposals.addLast(new Proposal(incarnation, ByteBuffer.wrap(entry), added));
                return added;
              },
              ChangeVersions::highest);
      PositionedLog positions = new PositionedLog(metadata, Runnable::run, number, position);
      faults = new RecordedFaults();
      Shards shards = new Shards(loops.all(), loops.clock(), faults);
      Partitions partitions =
          new Partitions(
              shards, SHARDS, host.stores(SHARDS, 1L << 30)::apply, new MemoryDeathJournal(1_000));
      broker = new Broker(partitions, positions, loops.clock(), "/");
      broker.setCluster(this);
      AccessControl access = new AccessControl(SecurityState.EMPTY, Set.of(), loops.clock());
      administration =
          new Administration(broker, positions, access, new Sessions(access), VhostDefaults.NONE);
      administration.recover(recovered);
      broker.recover(recovered);
      replicated = new PartitionAssignments(positions, recovered, (partition, assigned) -> {});
      placement = new ReplicaPlacement(this, SHARDS, DEFAULT_REPLICAS, replicated, this);
      applier =
          new ChangeApplier(
              new ChangeTarget(
                  broker, administration, new ClusterMembers(positions, recovered), replicated),
              proposer,
              positions,
              index -> CompletableFuture.completedFuture(null));
      metadata.writeAtOnce(false);
      if (links != null) {
        host.runAtOnce(false);
        loops.all().forEach(loop -> loop.runAtOnce(false));
      }
    }

    /** Applies the next entry of the log, if there is one. */
    boolean applyNext() {
      if (applied == log.size()) {
        return false;
      }
      applier.apply(1, applied, log.get(applied).array());
      applied++;
      return true;
    }

    /** The process ends; another one starts on what its disk has. */
    void crash(Random random) {
      proposals.removeIf(proposal -> proposal.from == this);
      host = host.afterKill();
      start(metadata.afterCrash(random));
    }

    /** Lets this many bytes more be written to its disk. */
    void fillDisk(long bytes) {
      host.fill(bytes);
    }

    /** Returns what the node has, in words. */
    Set<String> state() {
      Set<String> state = new TreeSet<>();
      broker
          .virtualHosts()
          .forEach(
              vhost -> {
                state.add(vhost.definition().toString());
                vhost.routing().exchanges().forEach(each -> state.add(vhost.name() + each));
                vhost.routing().bindings().forEach(each -> state.add(vhost.name() + each));
                vhost
                    .routing()
                    .queues()
                    .forEach(each -> state.add(vhost.name() + each.id() + " " + each.definition()));
                vhost
                    .policies()
                    .table()
                    .policies(PolicyKind.POLICY)
                    .forEach(each -> state.add(vhost.name() + each));
              });
      administration.users().list().forEach(user -> state.add(user.toString()));
      administration.permissions().list().forEach(each -> state.add(each.toString()));
      administration.globalParameters().list().forEach((name, json) -> state.add(name + json));
      return state;
    }

    /** Returns what is on its disk, in words. */
    Set<String> disk() {
      Set<String> disk = new TreeSet<>();
      metadata.recover().stream()
          .filter(command -> !(command instanceof Applied))
          .forEach(command -> disk.add(command.toString()));
      return disk;
    }

    @Override
    public List<Cluster.Peer> nodes() {
      return nodes.stream()
          .map(node -> new Cluster.Peer("node" + node.number, true, false))
          .toList();
    }

    @Override
    public CompletableFuture<Void> forget(String node) {
      return CompletableFuture.failedFuture(new IllegalArgumentException(node));
    }

    @Override
    public CompletableFuture<Void> setDrained(boolean drained) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    @Override
    public CompletableFuture<Void> handOver() {
      return CompletableFuture.failedFuture(new UnsupportedOperationException());
    }

    @Override
    public ReplicaOperations replicaOperations() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void reply(int member, String vhost, List<DirectReply> replies) {
      throw new UnsupportedOperationException("replies to " + member);
    }

    @Override
    public CompletableFuture<Boolean> awaitsReplies(int member, String vhost, String name) {
      throw new UnsupportedOperationException("replies to " + name);
    }

    @Override
    public boolean knowsDeletedQueues() {
      return true;
    }

    @Override
    public int member() {
      return number;
    }

    @Override
    public int leastLoadedMember() {
      return leastLoaded;
    }

    @Override
    public Optional<CompletableFuture<QueuePlace>> placeOfReplicas(
        OptionalInt size, boolean leadsHere) {
      return links == null ? placement.place(size, leadsHere) : Optional.empty();
    }

    @Override
    public QueueReplicas replicasOf(int partition) {
      throw new UnsupportedOperationException("replicas of " + partition);
    }

    @Override
    public CompletableFuture<ReplicaState> replicaHere(int partition) {
      throw new UnsupportedOperationException("replica of " + partition);
    }

    @Override
    public int self() {
      return number;
    }

    @Override
    public List<Integer> all() {
      return nodes.stream().map(node -> node.number).toList();
    }

    @Override
    public List<Integer> candidates() {
      return all().stream().filter(member -> !drained.contains(member)).toList();
    }

    @Override
    public int leastLoaded() {
      return leastLoaded;
    }

    @Override
    public int version() {
      return ChangeVersions.highest();
    }

    @Override
    public CompletableFuture<long[]> leasesElsewhere(List<MetadataCommand> deletions) {
      return CompletableFuture.completedFuture(
          deletions.stream()
              .mapToLong(
                  deletion ->
                      nodes.stream()
                          .filter(other -> other != this)
                          .mapToLong(other -> other.broker.leaseMillis(deletion))
                          .max()
                          .orElse(0))
              .toArray());
    }

    @Override
    public void inBackground(Runnable work) {
      background.addLast(work);
    }

    /** Does what other threads than the loops have to do next, if there is anything. */
    private boolean runInBackground() {
      Runnable work = background.pollFirst();
      if (work != null) {
        work.run();
      }
      return work != null;
    }

    @Override
    public Queue remote(QueueIdentity identity, QueuePlace place, QueueHost vhost) {
      return links == null
          ? RemoteQueueStub.of(identity, vhost, broker.partitions().get(0))
          : RemoteQueue.create(
              identity, place, vhost, homes.computeIfAbsent(place.member(), this::home));
    }

    private RemoteNode home(int member) {
      return new RemoteNode(
          "node%d@host".formatted(member), broker.partitions(), links.connector(this));
    }

    /** Runs what waits on the loops. Returns whether there was anything. */
    private boolean runLoops() {
      boolean any = false;
      for (ManualLoop loop : loops.all()) {
        while (loop.step()) {
          any = true;
        }
      }
      return any;
    }

    /** Does a piece of the work that waits on this node. */
    void step(Random random) {
      switch (random.nextInt(5)) {
        case 0 -> applyNext();
        case 1 -> metadata.write();
        case 2 -> host.flush();
        case 3 -> runInBackground();
        default -> loops.get(random.nextInt(SHARDS)).step();
      }
    }

    @Override
    public int targetOfMove(String node) {
      return Character.digit(node.charAt("node".length()), 10);
    }

    @Override
    public CompletableFuture<Void> propose(
        List<? extends MetadataCommand> commands, Object origin) {
      return proposer.propose(commands, origin);
    }
  }
}
