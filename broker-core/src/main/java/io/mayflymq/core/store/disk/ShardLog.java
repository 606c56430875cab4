package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore.Recovered;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The log of a shard, which is on this node only: what is appended is safe when it is forced. */
final class ShardLog implements StoreLog {
  private final int shard;
  private final StoreFiles files;
  private final OpenLog open;
  private final StoreRecovery recovery;

  /**
   * Opens the log.
   *
   * @param shard the number of the shard
   * @throws io.mayflymq.core.store.StoreException if its directory cannot be made
   */
  ShardLog(int shard, StoreFiles files) {
    this.shard = shard;
    this.files = files;
    this.open = files.openLog(shard);
    this.recovery = new StoreRecovery(shard, files, open.log());
  }

  @Override
  public SegmentLog log() {
    return open.log();
  }

  @Override
  public String owner() {
    return "shard " + shard;
  }

  @Override
  public boolean isReplicated() {
    return false;
  }

  @Override
  public long metadataSequence() {
    return files.metadataSequence();
  }

  @Override
  public Recovered recover(StoreContents contents, Map<Long, Integer> shardsBefore) {
    return recovery.run(contents, shardsBefore);
  }

  @Override
  public void recoveredForGood() {
    recovery.deleteAdopted();
    files.deleteOrphanedStreams(shard);
  }

  @Override
  public OpenLog openPaging(LogOwner owner) {
    return files.openPaging(shard, owner);
  }

  @Override
  public void endBurst(Commit commit) {
    if (commit == null) {
      open.log().flush();
    } else {
      open.log().commit(commit);
    }
  }

  @Override
  public boolean compact(int budget) {
    return open.log().compact(budget);
  }

  @Override
  public CompletableFuture<Void> close() {
    return open.close();
  }
}
