package io.mayflymq.cluster.store;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.RecoverableStream;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.disk.ReplicaFiles;
import io.mayflymq.core.store.segment.LogState;
import io.mayflymq.core.store.segment.RecordDecoder;
import io.mayflymq.core.store.segment.RecordHeader;
import io.mayflymq.core.store.segment.WireBurst;
import io.mayflymq.core.store.stream.StreamLog;
import io.mayflymq.core.store.stream.StreamLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the streams of a replica. On the shard's thread.
 *
 * <p>What enters a stream is an entry of the partition's log, as a message of a queue is: it is
 * sent to the replicas, committed, cut and copied with the log. When it is committed each replica
 * appends it to the stream's files, which have the form of those of a stream without replicas. So
 * these never have to be cut, and a change of the leader does not touch them. They are read by
 * consumers, and kept as long as retention says.
 *
 * <p>An entry stays in the log until the files of the leader have it for a while: then the leader
 * settles it, as a queue settles a message. A replica that takes that into its own log first makes
 * sure that its own files have the entry, on the disk. So at any time what was committed is in the
 * files of a replica or in its log, and on the disk.
 *
 * <pre>{@code
 * publish --> log of the leader ---------> log of a follower
 *                  | commit                     | commit is known
 *             files of the stream          files of the stream
 *                  | forced, 1 s later          |
 *             settled in the log --------> settled, when the files are forced
 * }</pre>
 */
final class ReplicaStreams implements EndOfBurstListener {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaStreams.class);

  /** How long the disk may take until it has what the log does not keep any more. */
  private static final long MOST_FORCING_SECONDS = 10;

  private final ReplicaFiles files;
  private final Shard shard;
  private final PartitionTime time;
  private final StreamRules rules;
  private final BurstEnd burst;
  private final RecordHeader head = new RecordHeader();
  private final RecordDecoder decoder = new RecordDecoder();
  private final Map<Long, StreamLog> streams = new HashMap<>();

  /** The streams that were deleted while this process has run: what still comes is void. */
  private final Set<Long> deleted = new HashSet<>();

  /** Null until there is a stream. */
  private StreamLogs logs;

  /**
   * Opens the streams that have files.
   *
   * @throws StoreException if they cannot be read
   */
  public ReplicaStreams(ReplicaFiles files, PartitionTime time, StreamRules rules) {
    this.files = files;
    this.shard = time.shard();
    this.time = time;
    this.rules = rules;
    this.burst = new BurstEnd(shard, this);
    List<Long> ids = files.streamIds();
    ids.forEach(this::open);
    if (!ids.isEmpty()) {
      recover();
    }
  }

  private void recover() {
    try {
      logs.recover();
    } catch (IOException e) {
      throw new StoreException(
          "cannot read the streams of partition %d: %s"
              .formatted(files.partition(), e.getMessage()),
          e);
    }
    deleteUnknown();
  }

  /** Deletes the streams that were deleted while this node did not run, or another one led. */
  void deleteUnknown() {
    List.copyOf(streams.keySet()).stream().filter(rules::isDeleted).forEach(this::delete);
  }

  private StreamLog open(long queueId) {
    if (logs == null) {
      logs = files.openStreams(shard, burst::request);
    }
    QueueName name = new QueueName("partition " + files.partition(), "stream " + queueId);
    StreamLog stream = logs.openReplicated(queueId, name);
    stream.attach(new SegmentRetention(queueId, stream));
    streams.put(queueId, stream);
    setSegmentBytes(stream, rules.settingsOf(queueId));
    return stream;
  }

  private static void setSegmentBytes(StreamLog stream, QueueSettings settings) {
    if (settings != null && settings.stream().segmentBytes() != QueueSettings.NONE) {
      stream.segmentBytes(settings.stream().segmentBytes());
    }
  }

  /** Returns the files of a stream, which may be empty. */
  StreamLog of(long queueId) {
    StreamLog stream = streams.get(queueId);
    return stream == null ? open(queueId) : stream;
  }

  /** Returns whether a stream was deleted. */
  boolean isDeleted(long queueId) {
    return deleted.contains(queueId);
  }

  /** Appends a message that is committed, unless the stream has it. */
  void append(long queueId, long offset, Message message, long millis) {
    StreamLog stream = of(queueId);
    if (offset < stream.nextOffset()) {
      return;
    }
    if (offset > stream.nextOffset()) {
      LOGGER.error(
          "Messages are lost: those from offset {} to {} of stream {} of partition {} are neither"
              + " in its files nor in the log",
          stream.nextOffset(),
          offset - 1,
          queueId,
          files.partition());
      stream.skipTo(offset);
    }
    stream.append(message, millis);
  }

  /** Returns the offset after the last message of each stream. */
  public Map<Long, Long> ends() {
    Map<Long, Long> ends = new HashMap<>();
    streams.forEach((queueId, stream) -> ends.put(queueId, stream.nextOffset()));
    return ends;
  }

  /**
   * Begins a copy for a follower.
   *
   * @param ends what {@link #ends} has returned there
   */
  public StreamCopy copy(Map<Long, Long> ends) {
    return new StreamCopy(this, ends);
  }

  /**
   * Takes a part of what the files of the leader have. If those here end before it begins, their
   * messages are older than what the leader keeps, and are deleted.
   *
   * @throws IllegalArgumentException if it has changed on its way
   */
  public void take(ByteBuffer content) {
    WireBurst.Reader records = new WireBurst.Reader(content);
    while (records.next(head)) {
      long queueId = StoreIds.queueOf(head.targets.queueId(0));
      if (!isDeleted(queueId)) {
        take(queueId, head.targets.sequence(0), decoder.message(records.buffer(), head.offset));
      }
    }
  }

  private void take(long queueId, long offset, Message message) {
    StreamLog stream = of(queueId);
    if (offset > stream.nextOffset()) {
      force(stream, stream.nextOffset());
      stream.clear();
      stream.skipTo(offset);
    }
    append(queueId, offset, message, head.enqueuedAt);
  }

  /**
   * Waits until the files of a stream are forced up to an offset.
   *
   * @throws StoreException if the disk does not take them
   */
  void force(StreamLog stream, long upTo) {
    if (stream.forcedOffset() < upTo) {
      force();
    }
  }

  /**
   * Waits until the files of all streams are forced.
   *
   * @throws StoreException if the disk does not take them
   */
  public void force() {
    if (logs == null || (logs.state() == LogState.OPEN && !logs.hasUnsafe())) {
      return;
    }
    try {
      files.await(logs.force().orTimeout(MOST_FORCING_SECONDS, TimeUnit.SECONDS));
    } catch (CompletionException e) {
      throw new StoreException(
          "the disk did not take the streams of partition " + files.partition(),
          new IOException(e.getCause()));
    }
  }

  /** Deletes a stream with its files; what still comes of it is void. */
  public void delete(long queueId) {
    deleted.add(queueId);
    StreamLog stream = streams.remove(queueId);
    if (stream != null) {
      stream.forget();
    }
  }

  /** Returns what deletes the streams of which a log has messages and that do not exist. */
  public FollowerQueues.StreamListener deletedOnes() {
    return new FollowerQueues.StreamListener() {
      @Override
      public void entered(long storeId, long offset) {}

      @Override
      public void leaves(long storeId, long upTo) {}

      @Override
      public void deleted(long storeId) {
        delete(StoreIds.queueOf(storeId));
      }
    };
  }

  /** Deletes what retention does not keep. To be called regularly while this node follows. */
  public void retain() {
    streams.forEach(this::retain);
  }

  private void retain(long queueId, StreamLog stream) {
    QueueSettings settings = rules.settingsOf(queueId);
    setSegmentBytes(stream, settings);
    if (settings != null) {
      stream.retain(
          settings.length().maxLengthBytes(), settings.stream().maxAgeMillis(), time.now());
    }
  }

  /**
   * Deletes segments as soon as they may be deleted, which is when they are forced and a later one
   * is begun: settings are looked up once a segment. Consumers are told elsewhere, when messages
   * are committed.
   */
  private final class SegmentRetention implements RecoverableStream {
    private final long queueId;
    private final StreamLog stream;
    private int forcedSegment;

    SegmentRetention(long queueId, StreamLog stream) {
      this.queueId = queueId;
      this.stream = stream;
    }

    @Override
    public void safe() {
      if (forcedSegment != stream.forcedSegment()) {
        forcedSegment = stream.forcedSegment();
        retain(queueId, stream);
      }
    }
  }

  @Override
  public void endOfBurst() {
    burst.reached();
    if (logs != null) {
      logs.flush(null);
    }
  }

  /** Repeats writes that have failed. To be called regularly. */
  public void retry() {
    if (logs != null && logs.state() == LogState.BLOCKED) {
      logs.retry();
    }
  }

  /** Requests notes of how much has been forced. To be called about once a second. */
  public void note() {
    if (logs != null) {
      logs.note();
    }
  }

  /** Returns a figure of all streams; 0 without any. */
  long figure(ToLongFunction<StreamLogs> figure) {
    return logs == null ? 0 : figure.applyAsLong(logs);
  }

  /** Returns how long forced writes took; null if there is no stream. */
  Histogram.Reading forceTimes() {
    return logs == null ? null : logs.forceTimes();
  }

  /** Returns the ids of the streams. */
  List<Long> ids() {
    return new ArrayList<>(streams.keySet());
  }

  /** Writes everything and closes the files. @return completed when that is done */
  public CompletableFuture<Void> close() {
    return logs == null ? CompletableFuture.completedFuture(null) : logs.close();
  }
}
