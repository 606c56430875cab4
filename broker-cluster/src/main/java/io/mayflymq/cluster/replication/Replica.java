package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.util.ArrayList;
import java.util.List;

/**
 * What one node knows of a partition that it keeps, whether it leads it or follows. On the thread
 * of the partition.
 */
final class Replica {
  private final ReplicaLog log;
  private final QueueLeases leases;
  private final BurstTail tail = new BurstTail();
  private long epoch;
  private long forced;
  private long committed;

  /** Creates the replica of a log that was opened: all that it has is forced. */
  Replica(ReplicaLog log, QueueLeases leases) {
    this.log = log;
    this.leases = leases;
    this.epoch = log.epoch();
    this.forced = log.last().number();
  }

  /** Returns whether it may lead an epoch: none that it has heard of is later or the same. */
  boolean mayLead(long wanted) {
    return wanted >= epoch && wanted > log.epoch();
  }

  /** Returns the highest epoch that it has heard of. */
  long epoch() {
    return epoch;
  }

  /** Returns the number of the last burst that is known to be committed. */
  long committed() {
    return committed;
  }

  /** Returns the number of the last burst that is forced. */
  long forced() {
    return forced;
  }

  ReplicaLog log() {
    return log;
  }

  QueueLeases leases() {
    return leases;
  }

  BurstTail tail() {
    return tail;
  }

  long last() {
    return log.last().number();
  }

  /** A leader of this epoch exists. */
  void heardOf(long known) {
    epoch = Math.max(epoch, known);
  }

  /** Returns whether the bursts behind one can be had, or the first of them. */
  boolean reachesBackTo(long number) {
    return tail.reachesBackTo(number, last()) || log.read(number + 1) != null;
  }

  /**
   * Returns bursts behind one that is not the last: from memory, or else as far as the log has
   * them.
   *
   * @param mostBytes after how many bytes no more are added
   * @return empty if the log does not have the first of them any more
   */
  List<Burst> after(long number, long mostBytes) {
    if (tail.reachesBackTo(number, last())) {
      return tail.after(number, mostBytes);
    }
    List<Burst> found = new ArrayList<>();
    long taken = 0;
    for (long next = number + 1; next <= last() && taken < mostBytes; next++) {
      Burst burst = log.read(next);
      if (burst == null) {
        return found;
      }
      taken += burst.bytes();
      found.add(burst);
    }
    return found;
  }

  void append(Burst burst) {
    if (burst.id().number() != last() + 1 || burst.id().epoch() < log.last().epoch()) {
      throw new IllegalStateException(burst.id() + " behind " + log.last());
    }
    log.append(burst);
    tail.cutAfter(burst.id().number() - 1);
    tail.add(burst);
  }

  void cutAfter(long number) {
    if (number < committed) {
      throw new IllegalStateException(
          "bursts behind %d are not to be undone: %d is committed".formatted(number, committed));
    }
    if (number < last()) {
      log.cutAfter(number, epoch);
      tail.cutAfter(number);
      forced = Math.min(forced, number);
    }
  }

  void takenOver(BurstId last, EpochHistory history) {
    log.takenOver(last, history);
    tail.clear();
    forced = 0;
  }

  /** The log has been forced up to a burst, which may have been undone meanwhile. */
  void forced(BurstId last) {
    if (last.number() <= last() && log.history().epochOf(last.number()) == last.epoch()) {
      forced = Math.max(forced, last.number());
    }
  }

  void committed(long number) {
    long known = Math.min(number, last());
    if (known > committed) {
      committed = known;
      log.committed(known);
    }
  }
}
