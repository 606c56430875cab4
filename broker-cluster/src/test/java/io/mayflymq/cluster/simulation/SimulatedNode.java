package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.LiveMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.store.disk.MemoryHost;
import java.util.Random;
import java.util.UUID;

/** A machine: its disks and its clock, and the process on it, if one runs. */
final class SimulatedNode {
  /**
   * Much larger than what a segment of a replica begins with, as that is never freed: segments of
   * which it is the larger part would be compacted again and again.
   */
  private static final int SEGMENT_BYTES = 32768;

  private final SimulatedCluster cluster;
  private final int number;
  private final int shards;
  private final long memoryBytes;
  private final ManualClock clock = new ManualClock();
  private MemoryHost disk = new MemoryHost(SEGMENT_BYTES);
  private LiveMetadataLog metadata = new LiveMetadataLog();
  private NodeProcess process;
  private int incarnation;
  private boolean frozen;
  private boolean uninformed;
  private boolean stalls;
  private boolean forcesFail;
  private boolean clockWasSet;
  private int driftPerMille;

  /** What its clock is ahead that it does not show yet, in thousandths of a ms. */
  private long drifted;

  private long latestMillis = clock.millis();

  /**
   * Creates a machine without a process.
   *
   * @param shards how many event loops its processes have
   * @param memoryBytes how much memory there is for messages
   */
  SimulatedNode(SimulatedCluster cluster, int number, int shards, long memoryBytes) {
    this.cluster = cluster;
    this.number = number;
    this.shards = shards;
    this.memoryBytes = memoryBytes;
  }

  static String name(int number) {
    return "node" + number + "@host";
  }

  static ClusterMember member(int number) {
    return new ClusterMember(
        number,
        new UUID(0, number),
        name(number),
        "host:1",
        ClusterMember.State.SERVING,
        ChangeVersions.highest());
  }

  SimulatedCluster cluster() {
    return cluster;
  }

  int number() {
    return number;
  }

  int shards() {
    return shards;
  }

  long memoryBytes() {
    return memoryBytes;
  }

  ManualClock clock() {
    return clock;
  }

  MemoryHost disk() {
    return disk;
  }

  LiveMetadataLog metadata() {
    return metadata;
  }

  /** Returns the process; null if none runs. */
  NodeProcess process() {
    return process;
  }

  /** Returns how many processes there were. */
  int incarnation() {
    return incarnation;
  }

  /** Returns whether its process gets no time at the moment. */
  boolean isFrozen() {
    return frozen;
  }

  /** Returns whether it learns nothing of what the cluster agrees upon at the moment. */
  boolean isUninformed() {
    return uninformed;
  }

  void setUninformed(boolean now) {
    uninformed = now;
  }

  /** Returns whether its disk does nothing at the moment. */
  boolean isStalled() {
    return stalls;
  }

  void setStalled(boolean now) {
    stalls = now;
  }

  void setFrozen(boolean now) {
    frozen = now;
  }

  /** The process starts; the metadata that it has are these members' for the first one. */
  void start() {
    if (process == null) {
      incarnation++;
      frozen = false;
      process = new NodeProcess(this);
      process.start();
    }
  }

  /** Begins with these members and a virtual host. */
  void initialise(int members) {
    for (int member = 0; member < members; member++) {
      metadata.append(java.util.List.of(new MemberSet(member(member))));
    }
    metadata.append(java.util.List.of(NodeProcess.virtualHost()));
  }

  /** The process ends; what it has written is there. */
  void kill(Random random) {
    end(random, disk.afterKill());
  }

  /** The machine loses its power: what was forced is there, and some of the rest. */
  void losePower(Random random) {
    end(random, disk.afterPowerLoss(random, random.nextInt(3) / 2.0));
  }

  private void end(Random random, MemoryHost left) {
    if (process != null) {
      NodeProcess ended = process;
      process = null;
      forcesFail = false;
      disk = left;
      metadata = metadata.afterCrash(random);
      cluster.ended(ended, random);
    }
  }

  // What operators do here

  /**
   * Another node is to lead a partition, if this one leads it.
   *
   * @param to its number; -1 for any
   */
  void handOver(int partition, int to) {
    if (process != null && process.isHosting() && to != number) {
      process.control().hosted().handOver(partition, to);
    }
  }

  /** A node is to keep a partition no more, or again. */
  void changeReplicas(int partition, int changed) {
    if (process != null && process.isHosting()) {
      process.control().changeReplicas(partition, changed);
    }
  }

  // The disk

  /** The next force on each partition fails, until the process has ended. */
  void failForces() {
    forcesFail = true;
    disk.failForces();
  }

  /** Returns whether a force has failed, or is going to. */
  boolean diskFails() {
    return forcesFail || !disk.failures().isEmpty();
  }

  // The clock

  /**
   * From now on the clock goes at another rate.
   *
   * @param perMille how much faster than time
   */
  void setDrift(int perMille) {
    driftPerMille = perMille;
    clockWasSet = true;
  }

  /** Time passes. */
  void pass(long millis) {
    clock.advance(millis);
    drifted += millis * driftPerMille;
    clock.jump(drifted / 1_000);
    drifted %= 1_000;
    latestMillis = Math.max(latestMillis, clock.millis());
  }

  /** The clock is set. */
  void setClock(long byMillis) {
    clock.jump(byMillis);
    clockWasSet = true;
    latestMillis = Math.max(latestMillis, clock.millis());
  }

  boolean clockWasSet() {
    return clockWasSet;
  }

  /** Returns the latest time that its clock has ever shown. */
  long latestMillis() {
    return Math.max(latestMillis, clock.millis());
  }
}
