package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.metadata.ChangeApplier;
import io.mayflymq.cluster.metadata.ChangeProposer;
import io.mayflymq.cluster.metadata.ChangeTarget;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.metadata.PartitionAssignments;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.cluster.owner.OwnerLink;
import io.mayflymq.cluster.owner.QueueLookup;
import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.store.DiskReplicas;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.deathjournal.MemoryDeathJournal;
import io.mayflymq.core.metadata.LiveMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Applied;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A process of a node: a broker with real stores, real metadata and real links. Nothing in it runs
 * unless {@link #step} lets it.
 */
final class NodeProcess {
  private static final String VHOST = "/";
  private static final long RETRY_MILLIS = 1_000;

  private final SimulatedNode node;
  private final ManualLoops loops;
  private final MemoryHost disk;
  private final LiveMetadataLog metadata;
  private final RecordedFaults faults = new RecordedFaults();

  /** What threads beside the loops have to do. */
  private final Deque<Runnable> background = new ArrayDeque<>();

  private final ChangeProposer proposer;
  private Shards shards;
  private Broker broker;
  private Administration administration;
  private SimulatedControl control;
  private ChangeApplier applier;
  private int applied;
  private boolean serving;
  private boolean caughtUp;

  NodeProcess(SimulatedNode node) {
    this.node = node;
    this.loops = ManualLoops.of(node.shards(), node.clock());
    this.disk = node.disk();
    this.metadata = node.metadata();
    this.proposer =
        new ChangeProposer(entry -> cluster().log().propose(this, entry), ChangeVersions::highest);
  }

  static MetadataCommand virtualHost() {
    return new VhostDeclared(VhostDefinition.of(VHOST));
  }

  /** Starts, as the daemon does: metadata, messages, then what the others have changed. */
  void start() {
    runAtOnce(true);
    List<MetadataCommand> kept = metadata.recover();
    Applied position =
        kept.stream()
            .filter(Applied.class::isInstance)
            .map(Applied.class::cast)
            .findFirst()
            .orElse(null);
    applied = position == null ? 0 : (int) position.index() + 1;
    PositionedLog positions =
        new PositionedLog(metadata, task -> schedule(task, RETRY_MILLIS), node.number(), position);
    shards = new Shards(loops.all(), loops.clock(), faults);
    int count = node.shards();
    DiskStores stores = disk.diskStores(count, node.memoryBytes());
    Partitions partitions =
        new Partitions(shards, count, stores::create, new MemoryDeathJournal(1_000));
    broker = new Broker(partitions, positions, loops.clock(), VHOST);
    PartitionAssignments replicated =
        new PartitionAssignments(positions, kept, (partition, assigned) -> {});
    control = new SimulatedControl(this, replicated, proposer);
    ReplicaManager hosted =
        new ReplicaManager(broker, control, control, new DiskReplicas(stores), SimulatedNode::name);
    broker.setCluster(
        new NodeCluster(
            this,
            partitions,
            cluster().network().connector(this),
            new NodeCluster.Replicas(replicated, hosted),
            proposer));
    AccessControl access = new AccessControl(SecurityState.EMPTY, Set.of(), loops.clock());
    administration =
        new Administration(broker, positions, access, new Sessions(access), VhostDefaults.NONE);
    administration.recover(kept);
    broker.recoverResting(kept);
    applier =
        new ChangeApplier(
            new ChangeTarget(
                broker, administration, new ClusterMembers(positions, kept), replicated),
            proposer,
            positions,
            index -> cluster().inForceElsewhere(this, index));
    runAtOnce(false);
    serving = true;
    catchUp(
        () -> {
          broker.startQueues();
          control.host(hosted);
        });
  }

  /** At the start others are waited for, which is done here by running them at once. */
  private void runAtOnce(boolean now) {
    loops.all().forEach(loop -> loop.runAtOnce(now));
    disk.runAtOnce(now);
    metadata.writeAtOnce(now);
  }

  /**
   * Has its turn in the log, then deletes what was there only as long as its earlier process.
   *
   * @param tried run when that is done, or has failed, and is tried again
   */
  private void catchUp(Runnable tried) {
    proposer
        .propose(List.of(new MemberSet(SimulatedNode.member(node.number()))), null)
        .thenCompose(announced -> deleteTransientQueues(node.number()))
        .whenComplete(
            (done, failure) -> {
              tried.run();
              if (failure == null) {
                caughtUp = true;
              } else {
                schedule(() -> catchUp(() -> {}), RETRY_MILLIS);
              }
            });
  }

  /** Deletes the queues of a node that end with its process. */
  CompletableFuture<Void> deleteTransientQueues(int member) {
    return CompletableFuture.allOf(
        metadata.recover().stream()
            .filter(QueueDeclared.class::isInstance)
            .map(QueueDeclared.class::cast)
            .filter(queue -> queue.place().member() == member && !queue.queue().durable())
            .map(this::delete)
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> delete(QueueDeclared queue) {
    String name = queue.queue().name();
    return proposer
        .propose(List.of(new QueueIs(VHOST, name, queue.id()), new QueueDeleted(VHOST, name)), null)
        .exceptionallyCompose(
            failure ->
                failure instanceof io.mayflymq.core.metadata.CommittedState.UndoneException
                    ? CompletableFuture.completedFuture(null) // It is deleted already.
                    : CompletableFuture.failedFuture(failure));
  }

  // What it consists of

  SimulatedNode node() {
    return node;
  }

  SimulatedCluster cluster() {
    return node.cluster();
  }

  ManualClock clock() {
    return node.clock();
  }

  Shards shards() {
    return shards;
  }

  Broker broker() {
    return broker;
  }

  VirtualHost vhost() {
    return broker.virtualHost(VHOST);
  }

  /** Returns a queue as this node knows it; null if there is none of this name. */
  Queue queue(String name) {
    return vhost().routing().queue(name);
  }

  RecordedFaults faults() {
    return faults;
  }

  /** Returns whether it has not ended. */
  boolean isRunning() {
    return node.process() == this;
  }

  /** Returns whether other nodes are served. */
  boolean isServing() {
    return serving;
  }

  /** Returns whether other nodes reach its replicas. */
  boolean isHosting() {
    return control.hosted() != null;
  }

  SimulatedControl control() {
    return control;
  }

  /** Returns whether its clients can change metadata. */
  boolean hasCaughtUp() {
    return caughtUp;
  }

  /** Returns the home node's side of a connection of another node. */
  OwnerLink homeLink(Shard shard) {
    return new OwnerLink(shard, broker.partitions(), new Lookup(this));
  }

  private record Lookup(NodeProcess process) implements QueueLookup {
    @Override
    public Queue find(String vhost, String name, long id) {
      return process.vhost().queueHere(name, id);
    }

    @Override
    public boolean mayCome(String vhost, String name, long id) {
      return true;
    }
  }

  // Running

  /** A thread beside the loops does something. */
  void inBackground(Runnable task) {
    background.addLast(task);
  }

  /** The same, later. */
  void schedule(Runnable task, long delayMillis) {
    loops.get(0).schedule(() -> inBackground(task), delayMillis);
  }

  /** A loop, a disk or a thread does something, if there is anything. */
  boolean step(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> runInBackground();
      case 1 ->
          disk.flusherCount() > 0
              && !node.isStalled()
              && disk.flush(random.nextInt(disk.flusherCount()));
      case 2 -> metadata.write();
      case 3 -> applyNext();
      default -> loops.get(random.nextInt(loops.all().size())).step();
    };
  }

  /** Everything that can be done is done, in turns. Returns whether there was anything. */
  boolean stepAll() {
    boolean any = false;
    for (var loop : loops.all()) {
      any |= loop.step();
    }
    any |= runInBackground();
    any |= !node.isStalled() && disk.flush();
    any |= metadata.write();
    any |= applyNext();
    return any;
  }

  /** Returns in how many ms a task is due; {@link Long#MAX_VALUE} if there is none. */
  long untilNextTask() {
    return loops.untilNextScheduled();
  }

  private boolean runInBackground() {
    Runnable task = background.pollFirst();
    if (task != null) {
      task.run();
    }
    return task != null;
  }

  private boolean applyNext() {
    if (applied == cluster().log().size()
        || node.isUninformed()
        || !cluster().reachesMajority(node)) {
      return false;
    }
    applier.apply(1, applied, cluster().log().entry(applied));
    applied++;
    return true;
  }

  /** Returns how many entries of the log it has been given. */
  int applied() {
    return applied;
  }

  /** Returns what is done when an entry is in force here. */
  CompletableFuture<Void> reached(long index) {
    return applier.reached(index);
  }

  /** Metadata cannot be written at the moment. */
  void failMetadata() {
    metadata.fail();
  }

  // Looking

  /** Returns what it has, in words. */
  Set<String> state() {
    Set<String> state = new TreeSet<>();
    vhost().routing().exchanges().forEach(each -> state.add(each.toString()));
    vhost().routing().bindings().forEach(each -> state.add(each.toString()));
    vhost().routing().queues().forEach(each -> state.add(each.id() + " " + each.definition()));
    vhost()
        .deletedQueues()
        .forEach(each -> state.add("deleted: " + each.id() + " " + each.queue().definition()));
    return state;
  }

  /** In which of its partitions a queue is, its node decides on its own. */
  private static String inWords(MetadataCommand command) {
    if (command instanceof QueueKept kept) {
      return "deleted: " + inWords(kept.queue()) + " " + kept.bindings();
    }
    return command instanceof QueueDeclared queue
        ? queue.id() + " on " + queue.place().member() + " " + queue.queue()
        : command.toString();
  }

  /** Returns what is on its disk, in words. */
  Set<String> kept() {
    Set<String> kept = new TreeSet<>();
    metadata.recover().stream()
        .filter(command -> !(command instanceof Applied))
        .forEach(command -> kept.add(inWords(command)));
    return kept;
  }
}
