package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.impl.ServerImplUtils;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogProtoUtils;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageImpl;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.server.storage.StorageImplUtils;

/**
 * The log of a stopped member. Used by one thread.
 *
 * <p>How a member goes on without another one that is lost for ever, when those that are left are
 * no majority.
 *
 * <p>Raft has no safe way to do this. The members are changed in the log of this member alone,
 * while it is stopped: by an entry at its end, as a leader would have added it. The last such entry
 * of a log is in force, so at its start this member elects a leader with the remaining ones only.
 * All that is in its log is committed then, also what no majority had confirmed; what was committed
 * without this member is lost.
 *
 * <p>Raft takes two entries of the same place and term for the same entry, and lets the one lead
 * whose last entry has the highest term. So this one has a term that no leader has had so far, and
 * that no other member chooses that is changed like this:
 *
 * <pre>{@code
 *  9 bits   how often members were changed like this
 * 32 bits   durable index
 * 12 bits   number of the member
 * 10 bits   elections, 0
 * }</pre>
 *
 * <p>Of two that are left, which need each other's vote, the one leads that has more of the log in
 * force. Were it the other, it would replace entries that are in force on the first. The last bits
 * keep the elections that follow from reaching the term of the other one.
 */
final class LogOfSurvivor {
  private static final int ELECTION_BITS = 10;
  private static final int NUMBER_BITS = 12;
  private static final int INDEX_BITS = 32;
  private static final int CHANGE_SHIFT = ELECTION_BITS + NUMBER_BITS + INDEX_BITS;
  private static final long MOST_CHANGES = Long.MAX_VALUE >> CHANGE_SHIFT;

  private final ConsensusSettings settings;
  private final RaftPeerId self;
  private final RaftGroupId group;
  private final long applied;
  private final int number;

  /** The last members that the log tells. */
  private RaftConfiguration members;

  /**
   * @param applied the position of what is durable here; null for nothing
   * @param number the number of this member, which no other one has; 0 or more
   */
  LogOfSurvivor(ConsensusSettings settings, LogPosition applied, int number) {
    this.settings = settings;
    this.self = ServerView.id(settings.self());
    this.group = RaftGroupId.valueOf(settings.group());
    this.applied = applied == null ? RaftLog.INVALID_LOG_INDEX : applied.index();
    this.number = number;
  }

  /**
   * Removes a member, if it is one.
   *
   * @throws ConsensusException if the log cannot be read or written, or this node has no vote
   */
  void removeMember(UUID lost) throws ConsensusException {
    try (RaftStorageImpl storage =
            StorageImplUtils.initRaftStorage(
                settings.group().toString(),
                RaftStorage.StartupOption.RECOVER,
                RatisProperties.of(settings));
        RaftLog log = opened(storage)) {
      RaftPeerId removed = RaftPeerId.valueOf(lost.toString());
      List<RaftPeer> left =
          members == null
              ? List.of()
              : members.getCurrentPeers().stream()
                  .filter(peer -> !peer.getId().equals(removed))
                  .toList();
      if (left.stream().noneMatch(peer -> peer.getId().equals(self))) {
        throw new ConsensusException(
            "this node has no vote, so it cannot go on without the others");
      }
      if (members.getPeer(removed) != null) {
        write(log, left);
      }
    } catch (IOException | RuntimeException e) {
      throw Failures.notOpened(settings, e);
    }
  }

  private RaftLog opened(RaftStorageImpl storage) throws IOException {
    Optional.ofNullable(storage.readRaftConfiguration()).ifPresent(this::told);
    RaftLog log =
        SegmentedRaftLog.newBuilder()
            .setMemberId(RaftGroupMemberId.valueOf(self, group))
            .setStorage(storage)
            .setSnapshotIndexSupplier(() -> applied)
            .setProperties(RatisProperties.of(settings))
            .build();
    log.open(applied, this::read);
    return log;
  }

  private void read(LogEntryProto entry) {
    if (entry.hasConfigurationEntry()) {
      told(LogProtoUtils.toRaftConfiguration(entry));
    }
  }

  private void told(RaftConfiguration configuration) {
    if (members == null || configuration.getLogEntryIndex() >= members.getLogEntryIndex()) {
      members = configuration;
    }
  }

  private long termAfter(long known) throws IOException {
    long change = (known >> CHANGE_SHIFT) + 1;
    if (change > MOST_CHANGES) {
      throw new IOException("members were given up " + MOST_CHANGES + " times: no more can be");
    }
    long index = Math.max(0, Math.min(applied + 1, (1L << INDEX_BITS) - 1));
    long member = Math.floorMod(number, 1 << NUMBER_BITS);
    return (((change << INDEX_BITS | index) << NUMBER_BITS) | member) << ELECTION_BITS;
  }

  private void write(RaftLog log, List<RaftPeer> left) throws IOException {
    TermIndex last = log.getLastEntryTermIndex();
    long term =
        termAfter(Math.max(log.loadMetadata().getTerm(), last == null ? 0 : last.getTerm()));
    // The term first: no other member is voted for in it.
    log.persistMetadata(RaftStorageMetadata.valueOf(term, self));
    long index = log.getNextIndex();
    RaftConfiguration changed =
        ServerImplUtils.newRaftConfiguration(left, List.of(), index, List.of(), List.of());
    try {
      log.appendEntry(LogProtoUtils.toLogEntryProto(changed, term, index)).join();
    } catch (CompletionException e) {
      throw new IOException(Failures.text(e), e);
    }
  }
}
