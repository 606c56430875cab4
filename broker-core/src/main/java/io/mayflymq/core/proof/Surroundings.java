package io.mayflymq.core.proof;

/**
 * What counts for a queue and is none of its settings.
 *
 * @param forces whether a confirm of a persistent message waits for the disk
 * @param consumerTimeoutMillis how long a delivery may stay unacknowledged if the queue does not
 *     say, in ms; 0 is no limit
 * @param nodes how many nodes the cluster has; 1 for a broker that is alone
 * @param members how many of them keep the queue, 1 or more
 */
public record Surroundings(boolean forces, long consumerTimeoutMillis, int nodes, int members) {
  /** A broker that is alone, with the defaults of the configuration. */
  public static final Surroundings DEFAULT = new Surroundings(true, 1_800_000, 1, 1);
}
