package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.transport.NodeCallException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppenderBase;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.Timestamp;

/**
 * Sends the log to one follower, one request at a time: entries that arrive meanwhile go together
 * with the next one. Runs on a thread of Ratis.
 *
 * <p>Ratis's own appender for transports like ours differs in two ways. It tells a follower what is
 * committed with the next entries or heartbeat only, half an election timeout later; here an empty
 * request follows as soon as something was committed. And it can send a snapshot's files only; here
 * the follower is told that the log does not reach back to what it has, and fetches the state by
 * itself.
 *
 * <p>A follower that fetches the state refuses all entries until it has it and is notified once
 * more, of a log that does not begin before the one of the first notification. Another node may
 * lead by then. If its log reaches back to what the follower has, it would send entries, and be
 * refused for ever. If its log begins earlier, the notification would be refused for ever. So it
 * notifies with the last entry of its log then, which is not before the beginning of any log.
 *
 * <p>A follower learns of commits from a request only when it has forced the entries of the
 * request. So if entries wait too, the empty request goes first: once before each request with
 * entries, so that entries are sent whatever the follower answers.
 */
final class FollowerSender extends LogAppenderBase {
  private static final long FIRST_PAUSE_MILLIS = 10;

  /** Ratis does not tell when an entry is committed: it is looked for, at first after this time. */
  private static final long FIRST_LOOK_MILLIS = 1;

  private final Peers peers;
  private final long longestPauseMillis;

  /** Whether the last request was empty. */
  private boolean wasEmpty;

  /** Whether the follower may be fetching the state because of an earlier leader. */
  private boolean fetchesForAnother;

  FollowerSender(
      RaftServer.Division server, LeaderState state, FollowerInfo follower, Peers peers) {
    super(server, state, follower);
    this.peers = peers;
    this.longestPauseMillis = server.properties().minRpcTimeoutMs() / 4;
  }

  @Override
  public long getCallId() {
    return CallId.get();
  }

  @Override
  public Comparator<Long> getCallIdComparator() {
    return CallId.getComparator();
  }

  @Override
  public void run() throws InterruptedException, IOException {
    long pauseMillis = 0;
    long lookMillis = FIRST_LOOK_MILLIS;
    while (isRunning()) {
      if (shouldSendAppendEntries() || knowsLess()) {
        pauseMillis = send() ? 0 : nextPause(pauseMillis);
        lookMillis = FIRST_LOOK_MILLIS;
      }
      getLeaderState().checkHealth(getFollower());
      if (pauseMillis > 0) {
        TimeUnit.MILLISECONDS.sleep(pauseMillis);
      } else if (isRunning() && !hasAppendEntries() && !knowsLess()) {
        long most = hasUncommitted() ? lookMillis : Long.MAX_VALUE;
        lookMillis = Math.min(longestPauseMillis, 2 * lookMillis);
        getEventAwaitForSignal()
            .await(Math.max(1, Math.min(most, getHeartbeatWaitTimeMs())), TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Whether the follower has entries of which it is not known that they are committed. */
  private boolean hasUncommitted() {
    return getFollower().getMatchIndex() > getRaftLog().getLastCommittedIndex();
  }

  private long nextPause(long pauseMillis) {
    return Math.min(longestPauseMillis, Math.max(FIRST_PAUSE_MILLIS, 2 * pauseMillis));
  }

  /** Whether the follower has entries, and has not been told that they are committed. */
  private boolean knowsLess() {
    FollowerInfo follower = getFollower();
    return follower.getCommitIndex() < getRaftLog().getLastCommittedIndex()
        && follower.getMatchIndex() > follower.getCommitIndex();
  }

  /** Returns false if the follower cannot be reached, or must be left alone for a while. */
  private boolean send() throws IOException {
    try {
      TermIndex first = fetchesForAnother ? getRaftLog().getLastEntryTermIndex() : firstKept();
      return first == null ? append() : notifyFollower(first);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      LOG.debug("{} cannot be reached", getFollower().getName(), e);
      return false;
    } catch (RuntimeException e) {
      // Ratis would send nothing to this follower any more.
      LOG.error("sending to {} failed; it is tried again", getFollower().getName(), e);
      return false;
    }
  }

  /**
   * Returns the first entry of the log if that does not reach back to what the follower has, else
   * null. The entry before the next one must be known, too: the follower compares it.
   */
  private TermIndex firstKept() {
    long start = getRaftLog().getStartIndex();
    long next = getFollower().getNextIndex();
    if (start == RaftLog.INVALID_LOG_INDEX || (next >= start && isKnown(next - 1))) {
      // Ratis considers a new member caught up only after this.
      getFollower().setAttemptedToInstallSnapshot();
      return null;
    }
    return getRaftLog().getTermIndex(start);
  }

  private boolean isKnown(long index) {
    SnapshotInfo snapshot = getServer().getStateMachine().getLatestSnapshot();
    return index < 0
        || getFollower().getSnapshotIndex() == index
        || (snapshot != null && snapshot.getIndex() == index)
        || getRaftLog().getTermIndex(index) != null;
  }

  private boolean append() throws IOException {
    wasEmpty = !hasAppendEntries() || (knowsLess() && !wasEmpty);
    AppendEntriesRequestProto request = newAppendEntriesRequest(CallId.getAndIncrement(), wasEmpty);
    if (request == null) {
      return true;
    }
    resetHeartbeatTrigger();
    FollowerInfo follower = getFollower();
    Timestamp sent = Timestamp.currentTime();
    long sentNanos = System.nanoTime();
    follower.updateLastRpcSendTime(request.getEntriesCount() == 0);
    AppendEntriesReplyProto reply = getServerRpc().appendEntries(request);
    follower.updateLastRpcResponseTime();
    follower.updateLastRespondedAppendEntriesSendTime(sent);
    if (reply.getResult() == AppendResult.SUCCESS) {
      peers.followed(follower.getId(), sentNanos);
    }
    getLeaderState().onFollowerCommitIndex(follower, reply.getFollowerCommit());
    return handle(request, reply);
  }

  private boolean handle(AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
    FollowerInfo follower = getFollower();
    boolean accepted = true;
    switch (reply.getResult()) {
      case SUCCESS -> accepted(request, reply);
      case NOT_LEADER -> onFollowerTerm(reply.getTerm());
      case INCONSISTENCY -> {
        // Of another log it would want an entry before, or one that it does not have.
        fetchesForAnother = reply.getNextIndex() == follower.getNextIndex();
        accepted = !fetchesForAnother;
        if (accepted) {
          long first =
              request.getEntriesCount() > 0
                  ? request.getEntries(0).getIndex()
                  : RaftLog.INVALID_LOG_INDEX;
          follower.setNextIndex(getNextIndexForInconsistency(first, reply.getNextIndex()));
        }
      }
      case UNRECOGNIZED -> accepted = false;
      default -> throw new IllegalArgumentException("unknown result " + reply.getResult());
    }
    getLeaderState().onAppendEntriesReply(this, reply);
    return accepted;
  }

  private void accepted(AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
    FollowerInfo follower = getFollower();
    long next = reply.getNextIndex();
    if (request.getEntriesCount() > 0) {
      if (next > follower.getNextIndex()) {
        follower.updateMatchIndex(next - 1);
        follower.increaseNextIndex(next);
        getLeaderState().onFollowerSuccessAppendEntries(follower);
      }
    } else if (request.hasPreviousLog()) {
      // A new member that has fetched all there is gets no entries. What it knows to be committed
      // is durable there.
      long same = Math.min(request.getPreviousLog().getIndex(), reply.getFollowerCommit());
      if (same >= 0 && follower.updateMatchIndex(same)) {
        getLeaderState().onFollowerSuccessAppendEntries(follower);
      }
    }
  }

  private InstallSnapshotReplyProto notification(TermIndex first) throws IOException {
    try {
      return getServerRpc().installSnapshot(newInstallSnapshotNotificationRequest(first));
    } catch (IOException e) {
      fetchesForAnother |= e.getCause() instanceof NodeCallException;
      throw e;
    }
  }

  private boolean notifyFollower(TermIndex first) throws IOException {
    FollowerInfo follower = getFollower();
    follower.updateLastRpcSendTime(false);
    InstallSnapshotReplyProto reply = notification(first);
    fetchesForAnother &= reply.getResult() == InstallSnapshotResult.IN_PROGRESS;
    follower.updateLastRpcResponseTime();
    switch (reply.getResult()) {
      case ALREADY_INSTALLED, SNAPSHOT_INSTALLED -> {
        long index = reply.getSnapshotIndex();
        follower.setSnapshotIndex(index);
        follower.setAttemptedToInstallSnapshot();
        getLeaderState().onFollowerCommitIndex(follower, index);
        follower.updateNextIndex(index + 1);
        return true;
      }
      case NOT_LEADER -> onFollowerTerm(reply.getTerm());
      default -> LOG.debug("{} fetches the state: {}", follower.getName(), reply.getResult());
    }
    return false;
  }
}
