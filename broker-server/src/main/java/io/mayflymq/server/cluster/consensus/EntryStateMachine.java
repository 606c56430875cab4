package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;

/** What Ratis tells about the log. Its snapshots are positions of the applier's durable state. */
final class EntryStateMachine extends BaseStateMachine {
  /** Less than a force takes; Ratis has no listener for its end. */
  private static final long LOOK_MICROS = 100;

  private final AppliedEntries applied;
  private final LogWatcher events;
  private volatile TermIndex snapshot;

  private record StateAt(TermIndex getTermIndex) implements SnapshotInfo {
    @Override
    public List<FileInfo> getFiles() {
      return List.of();
    }
  }

  EntryStateMachine(AppliedEntries applied, LogWatcher events) {
    this.applied = applied;
    this.events = events;
    snapshot = termIndex(applied.durable());
    if (snapshot != null) {
      setLastAppliedTermIndex(snapshot);
    }
    getLifeCycle().startAndTransition(() -> {});
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    LogPosition position = new LogPosition(entry.getTerm(), entry.getIndex());
    awaitOwnLog(entry.getIndex());
    applied.apply(position, entry.getStateMachineLogEntry().getLogData().toByteArray());
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    // Not what the applier makes of it: the proposer waits for the commit only.
    return CompletableFuture.completedFuture(termMessage(entry.getTerm()));
  }

  /**
   * Waits until the log of this member has an entry durably. A leader may learn that a majority of
   * the others has it before; its state must not get ahead of its log, which ends at a crash.
   */
  private void awaitOwnLog(long index) {
    RaftLog log = log();
    try {
      while (log.getFlushIndex() < index && log.isOpened() && !applied.isClosed()) {
        TimeUnit.MICROSECONDS.sleep(LOOK_MICROS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private RaftLog log() {
    try {
      return getServer().join().getDivision(getGroupId()).getRaftLog();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Message termMessage(long term) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(term).array();
    return Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
  }

  /** Returns the term that the answer to a proposal has. */
  static long term(Message answer) {
    return answer.getContent().asReadOnlyByteBuffer().getLong();
  }

  @Override
  public SnapshotInfo getLatestSnapshot() {
    TermIndex latest = snapshot;
    return latest == null ? null : new StateAt(latest);
  }

  /** Lets Ratis delete what it has of the log up to the durable state. */
  @Override
  public long takeSnapshot() {
    TermIndex durable = termIndex(applied.durable());
    // State that was fetched is ahead until Ratis has gone on from it.
    if (durable == null || durable.getIndex() > getLastAppliedTermIndex().getIndex()) {
      return RaftLog.INVALID_LOG_INDEX;
    }
    snapshot = durable;
    return durable.getIndex();
  }

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstOfLog) {
    String leader = role.getFollowerInfo().getLeaderInfo().getId().getAddress();
    return events.stateNeeded(leader).thenApply(EntryStateMachine::termIndex);
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  /** Ratis goes on from the state that was fetched. */
  @Override
  public void reinitialize() {
    TermIndex fetched = termIndex(applied.durable());
    snapshot = fetched;
    setLastAppliedTermIndex(fetched);
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
    // This node tells that it leads when it is ready.
    if (!self.getPeerId().equals(leader)) {
      events.leaderChanged(leader);
    }
  }

  @Override
  public void notifyLeaderReady() {
    events.ready();
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    events.notLeader();
  }

  @Override
  public void notifyConfigurationChanged(
      long term, long index, RaftConfigurationProto configuration) {
    events.membersChanged();
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    events.failed(cause);
  }

  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean wholeServer) {
    if (!wholeServer) {
      events.removed();
    }
  }

  @Override
  public void close() {
    applied.close();
    events.closed();
  }

  private static TermIndex termIndex(LogPosition position) {
    return position == null ? null : TermIndex.valueOf(position.term(), position.index());
  }
}
