package io.mayflymq.cluster.replication;

/**
 * The times of replication, in ms. A leader whose lease has ended delivers nothing.
 *
 * @param heartbeat how often a leader that has nothing else to send is heard of
 * @param lease how long a leader may deliver after the replicas in sync have last answered it
 * @param lag how long a replica in sync may be behind before it is taken out
 * @param stall how long a force of the leader's disk may take before another one leads
 */
public record ReplicationTimes(int heartbeat, int lease, int lag, int stall) {
  /** Those of a cluster. */
  public static final ReplicationTimes USUAL = new ReplicationTimes(500, 2_000, 3_000, 3_000);

  /**
   * How much longer a promise lasts than the lease for which it is given, in ms: the clocks of two
   * nodes count whole ms, and one may go faster than the other.
   */
  private static final int MARGIN = 10;

  /** Returns how long a replica that has answered a leader does not deliver itself, in ms. */
  public int promise() {
    return lease + MARGIN;
  }
}
