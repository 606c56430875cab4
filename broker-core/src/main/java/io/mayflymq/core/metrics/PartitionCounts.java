package io.mayflymq.core.metrics;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.policy.QueueType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the queues of a partition count together, and not each for itself. The thread of its shard
 * writes; any thread may read, and each number only grows.
 */
public final class PartitionCounts {
  /** What a queue does with its dead messages, in RabbitMQ's terms. */
  public enum Strategy {
    /** It drops those that died for this reason. */
    DISABLED("disabled"),
    /** They go to another queue, if one takes them. */
    AT_MOST_ONCE("at_most_once"),
    /** They wait until another queue has them. */
    AT_LEAST_ONCE("at_least_once");

    private final String wireName;

    @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
    private final int cell = ordinal();

    Strategy(String wireName) {
      this.wireName = wireName;
    }

    /** Returns its name in RabbitMQ's metrics. */
    public String wireName() {
      return wireName;
    }
  }

  /** Why messages that could be brought back are let go before their time is over. */
  public enum LetGo {
    /** There were more bytes than the queue may keep. */
    BYTES("bytes"),
    /** The disk runs low. */
    DISK("disk");

    private final String wireName;

    LetGo(String wireName) {
      this.wireName = wireName;
    }

    /** Returns its name in metrics. */
    public String wireName() {
      return wireName;
    }
  }

  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int STRATEGIES = Strategy.values().length;
  private static final int REASONS = DeathReason.values().length;

  private final long[] deaths = new long[QueueType.values().length * STRATEGIES * REASONS];
  private final long[] arrivals = new long[QueueType.values().length];
  private final long[] leases = new long[1];
  private final long[] letGo = new long[LetGo.values().length];
  private final long[] letGoBytes = new long[LetGo.values().length];

  /** A message died. On the shard's thread. */
  public void died(QueueType type, Strategy strategy, DeathReason reason) {
    increment(deaths, cell(type, strategy, reason));
  }

  /** Another queue has a dead letter of a queue that dead-letters at least once. */
  public void arrived(QueueType source) {
    increment(arrivals, cell(source));
  }

  /** The lease of a queue has ended. On the shard's thread. */
  public void leaseEnded() {
    increment(leases, 0);
  }

  /**
   * Messages that could be brought back were let go before their time was over. On the shard's
   * thread.
   *
   * @param bytes what they count together
   */
  public void letGo(LetGo cause, long messages, long bytes) {
    add(letGo, cell(cause), messages);
    add(letGoBytes, cell(cause), bytes);
  }

  /** Returns how many messages were let go before their time was over. */
  public long letGo(LetGo cause) {
    return read(letGo, cell(cause));
  }

  /** Returns how many bytes these have counted. */
  public long letGoBytes(LetGo cause) {
    return read(letGoBytes, cell(cause));
  }

  /** Returns how many messages died. */
  public long deaths(QueueType type, Strategy strategy, DeathReason reason) {
    return read(deaths, cell(type, strategy, reason));
  }

  /** Returns how many dead letters of queues that dead-letter at least once have arrived. */
  public long arrivals(QueueType source) {
    return read(arrivals, cell(source));
  }

  /** Returns how many leases have ended. */
  public long leasesEnded() {
    return read(leases, 0);
  }

  private static int cell(QueueType type, Strategy strategy, DeathReason reason) {
    return (cell(type) * STRATEGIES + strategy.cell) * REASONS + cell(reason);
  }

  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  private static int cell(Enum<?> constant) {
    return constant.ordinal();
  }

  private static void increment(long[] cells, int cell) {
    add(cells, cell, 1);
  }

  private static void add(long[] cells, int cell, long more) {
    CELL.setOpaque(cells, cell, cells[cell] + more);
  }

  private static long read(long[] cells, int cell) {
    return (long) CELL.getOpaque(cells, cell);
  }
}
