package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BatchId;
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
  private final BatchTail tail = new BatchTail();
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

  /** Returns the number of the last batch that is known to be committed. */
  long committed() {
    return committed;
  }

  /** Returns the number of the last batch that is forced. */
  long forced() {
    return forced;
  }

  ReplicaLog log() {
    return log;
  }

  QueueLeases leases() {
    return leases;
  }

  BatchTail tail() {
    return tail;
  }

  long last() {
    return log.last().number();
  }

  /** A leader of this epoch exists. */
  void heardOf(long known) {
    epoch = Math.max(epoch, known);
  }

  /** Returns whether the batches behind one can be had, or the first of them. */
  boolean reachesBackTo(long number) {
    return tail.reachesBackTo(number, last()) || log.read(number + 1) != null;
  }

  /**
   * Returns batches behind one that is not the last: from memory, or else as far as the log has
   * them.
   *
   * @param mostBytes after how many bytes no more are added
   * @return empty if the log does not have the first of them any more
   */
  List<Batch> after(long number, long mostBytes) {
    if (tail.reachesBackTo(number, last())) {
      return tail.after(number, mostBytes);
    }
    List<Batch> found = new ArrayList<>();
    long taken = 0;
    for (long next = number + 1; next <= last() && taken < mostBytes; next++) {
      Batch batch = log.read(next);
      if (batch == null) {
        return found;
      }
      taken += batch.bytes();
      found.add(batch);
    }
    return found;
  }

  void append(Batch batch) {
    if (batch.id().number() != last() + 1 || batch.id().epoch() < log.last().epoch()) {
      throw new IllegalStateException(batch.id() + " behind " + log.last());
    }
    log.append(batch);
    tail.cutAfter(batch.id().number() - 1);
    tail.add(batch);
  }

  void cutAfter(long number) {
    if (number < committed) {
      throw new IllegalStateException(
          "batches behind %d are not to be undone: %d is committed".formatted(number, committed));
    }
    if (number < last()) {
      log.cutAfter(number, epoch);
      tail.cutAfter(number);
      forced = Math.min(forced, number);
    }
  }

  void takenOver(BatchId last, EpochHistory history) {
    log.takenOver(last, history);
    tail.clear();
    forced = 0;
  }

  /** The log has been forced up to a batch, which may have been undone meanwhile. */
  void forced(BatchId last) {
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
