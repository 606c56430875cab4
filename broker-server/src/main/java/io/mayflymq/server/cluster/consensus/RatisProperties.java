package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** The settings of Ratis. Its defaults are made for few large groups on machines of their own. */
final class RatisProperties {
  /** What an entry has around the bytes that were proposed, at most. */
  private static final int ENTRY_OVERHEAD = 4_096;

  private static final int PREALLOCATED_BYTES = 256 << 10;

  /** Each request counts as a megabyte while it is admitted. */
  private static final long LEAST_QUEUED_BYTES = 16 << 20;

  private static final int QUEUED_BYTES_FACTOR = 4;
  private static final TimeDuration NEVER = TimeDuration.valueOf(36_500, TimeUnit.DAYS);

  private RatisProperties() {}

  static RaftProperties of(ConsensusSettings settings) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, new NodeRpcType());
    RaftServerConfigKeys.setStorageDir(properties, List.of(settings.directory().toFile()));
    setTimes(properties, settings.times(), settings.mode() == StartMode.BOOTSTRAP);
    setLimits(properties, settings.limits());
    setLog(properties, settings.limits().segmentBytes());
    return properties;
  }

  private static void setTimes(RaftProperties properties, ConsensusTimes times, boolean first) {
    TimeDuration min = millis(times.electionMinMillis());
    TimeDuration max = millis(times.electionMaxMillis());
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, min);
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, max);
    // The only member of a new cluster need not wait for another leader.
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, first ? millis(50) : min);
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, first ? millis(100) : max);
    RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
    // A leader whose process stood still for so long steps down. By default Ratis closes itself
    // after a minute.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, max);
    RaftServerConfigKeys.setCloseThreshold(properties, NEVER);
    RaftServerConfigKeys.RetryCache.setExpiryTime(properties, millis(3 * times.proposalMillis()));
  }

  private static void setLimits(RaftProperties properties, ConsensusLimits limits) {
    int entry = limits.maxEntryBytes() + ENTRY_OVERHEAD;
    SizeInBytes queued =
        SizeInBytes.valueOf(Math.max(LEAST_QUEUED_BYTES, (long) entry * QUEUED_BYTES_FACTOR));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(entry));
    // Each entry goes through this buffer in one piece, with its length and checksum.
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf(entry + 8));
    RaftServerConfigKeys.Log.setQueueByteLimit(properties, queued);
    RaftServerConfigKeys.Write.setByteLimit(properties, queued);
    SizeInBytes segment = SizeInBytes.valueOf(limits.segmentBytes());
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, segment);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, segment);
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 1);
    int some = Math.max(1, limits.keptEntries() / 4);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, some);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Log.setPurgeGap(properties, some);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgePreservationLogNum(properties, limits.keptEntries());
  }

  private static void setLog(RaftProperties properties, int segmentBytes) {
    SizeInBytes preallocated = SizeInBytes.valueOf(Math.min(PREALLOCATED_BYTES, segmentBytes));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, preallocated);
    // Else each commit appends a second entry, which tells a restarted leader alone what was
    // committed.
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    // Appends do not overlap here (SerialAnswers). With this, one that fails lets all later ones
    // fail.
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
    // A follower fetches the state by a request of ours instead of files.
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
  }

  private static TimeDuration millis(int millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }
}
