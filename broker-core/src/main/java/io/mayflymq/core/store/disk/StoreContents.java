package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** The queues of a store, into which a log is recovered. Belongs to the shard's thread. */
public final class StoreContents {
  private final LoggedContents owner;
  private final LongConsumer openBeside;

  /**
   * Creates it.
   *
   * @param openBeside see {@link io.mayflymq.core.store.PartitionStore#recover}
   */
  StoreContents(LoggedContents owner, LongConsumer openBeside) {
    this.owner = owner;
    this.openBeside = openBeside;
  }

  /** Returns the owner of what the queues have in the log. */
  public LogOwner owner() {
    return owner;
  }

  /**
   * Returns what takes the contents of a log into the queues.
   *
   * @param source the log that is recovered
   * @param log that of the store
   * @param isValid whether the log that is recovered is the valid one for a queue, by the queue's
   *     id
   * @param others receives what is not for one of the queues
   */
  public RecoveredQueues recovery(
      SegmentLog source, SegmentLog log, LongPredicate isValid, RecoveryVisitor others) {
    return new RecoveredQueues(
        new RecoveredQueues.Logs(source, log), owner, openBeside, isValid, others);
  }
}
