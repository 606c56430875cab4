package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.RpcMessage.Kind;
import io.mayflymq.server.cluster.transport.CallService;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * The proposals that were applied before Ratis could see them. Any thread may call.
 *
 * <p>The proposals that were applied before this node has started, or are part of the state that it
 * has fetched.
 *
 * <p>A proposer repeats a proposal that has no answer. Ratis recognises those that this process has
 * applied. The others are known from the log: without them a proposal that was committed right
 * before a node restarts and becomes the leader would be committed twice. They are forgotten when
 * no proposer can repeat them any more.
 */
final class RecentProposals {
  private static final int POSITION_BYTES = 2 * Long.BYTES;
  private static final long FETCH_MILLIS = 5_000;

  private final CompletableFuture<ServerView> view;
  private final Peers peers;
  private final int most;
  private final long keptNanos;
  private Map<ProposalId, LogPosition> known = Map.of();
  private long knownFrom;
  private long knownNanos;

  /**
   * Creates an instance that knows none.
   *
   * @param most how many are read from a log at most
   * @param keptMillis after which time they are forgotten
   */
  RecentProposals(CompletableFuture<ServerView> view, Peers peers, int most, long keptMillis) {
    this.view = view;
    this.peers = peers;
    this.most = most;
    this.keptNanos = TimeUnit.MILLISECONDS.toNanos(keptMillis);
  }

  /** Returns where a proposal was committed; null if it is not among them. */
  synchronized LogPosition position(ProposalId id) {
    if (!known.isEmpty() && System.nanoTime() - knownNanos > keptNanos) {
      known = Map.of();
    }
    return known.get(id);
  }

  /**
   * Returns whether a proposal that is not among them was not committed before either.
   *
   * @param since an index that was committed before the proposal was made
   */
  synchronized boolean reachBackTo(long since) {
    return knownFrom <= since + 1;
  }

  /** Reads the proposals up to an applied position from the log of this node. */
  void read(long applied) throws IOException {
    add(scan(applied), first(applied));
  }

  /** Fetches the proposals that the leader has. */
  CompletableFuture<Void> fetch(String leader) {
    return peers
        .call(leader, CallService.CONSENSUS, RpcMessage.encode(Kind.RECENT), FETCH_MILLIS)
        .thenAccept(this::add);
  }

  /** Encodes the proposals in the log of this node, for one that has fetched the state. */
  byte[] encode() throws IOException {
    ServerView server = view.join();
    long last = server.division().getRaftLog().getLastCommittedIndex();
    long first = first(last);
    Map<ProposalId, LogPosition> recent = scan(last);
    int length = Long.BYTES + recent.size() * (ProposalId.BYTES + POSITION_BYTES);
    ByteBuffer out = ByteBuffer.allocate(length).putLong(first);
    recent.forEach(
        (id, position) -> {
          id.encode(out);
          out.putLong(position.term()).putLong(position.index());
        });
    return out.array();
  }

  private void add(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    long first = in.getLong();
    Map<ProposalId, LogPosition> decoded = new HashMap<>();
    while (in.remaining() >= ProposalId.BYTES + POSITION_BYTES) {
      decoded.put(ProposalId.decode(in), new LogPosition(in.getLong(), in.getLong()));
    }
    add(decoded, first);
  }

  private synchronized void add(Map<ProposalId, LogPosition> more, long from) {
    known = more;
    knownFrom = from;
    knownNanos = System.nanoTime();
  }

  /** Returns the first index that is read; behind the last one if the log has none of them. */
  private long first(long last) {
    long start = view.join().division().getRaftLog().getStartIndex();
    return start == RaftLog.INVALID_LOG_INDEX ? last + 1 : Math.max(start, last - most + 1);
  }

  private Map<ProposalId, LogPosition> scan(long last) throws IOException {
    RaftLog log = view.join().division().getRaftLog();
    Map<ProposalId, LogPosition> found = new HashMap<>();
    for (long index = first(last); index <= last; index++) {
      LogEntryProto entry = log.get(index);
      if (entry != null && entry.hasStateMachineLogEntry()) {
        found.put(ProposalId.of(entry), new LogPosition(entry.getTerm(), index));
      }
    }
    return found;
  }
}
