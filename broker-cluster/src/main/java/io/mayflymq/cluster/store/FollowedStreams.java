package io.mayflymq.cluster.store;

import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.DamagedRecordException;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.stream.StreamLog;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of a replica that follows: what its log has is appended to their files when it is
 * known to be committed. On the shard's thread.
 */
final class FollowedStreams implements FollowerQueues.StreamListener {
  private static final Logger LOGGER = LoggerFactory.getLogger(FollowedStreams.class);

  private final ReplicaStreams files;
  private final SegmentLog log;
  private final FollowerQueues queues;

  /** The ends of the streams that have got messages in the present burst, by their store ids. */
  private final Map<Long, Long> entered = new LinkedHashMap<>();

  private final ArrayDeque<Entered> uncommitted = new ArrayDeque<>();

  /**
   * Creates them for a log.
   *
   * @param files the files of the streams
   */
  public FollowedStreams(ReplicaStreams files, SegmentLog log) {
    this.files = files;
    this.log = log;
    this.queues = new FollowerQueues(log, this);
  }

  /**
   * What a burst has brought.
   *
   * @param end the offset after the last message
   */
  private record Entered(long burst, long storeId, long end) {}

  /** Returns the queues of the log, the streams among them. */
  public FollowerQueues queues() {
    return queues;
  }

  @Override
  public void entered(long storeId, long offset) {
    entered.merge(storeId, offset + 1, Math::max);
  }

  /** A burst has ended; or all that the log had before it was opened has. */
  public void ended(long burst) {
    entered.forEach((storeId, end) -> uncommitted.add(new Entered(burst, storeId, end)));
    entered.clear();
  }

  /** Bursts up to this one are committed. */
  public void committed(long burst) {
    while (!uncommitted.isEmpty() && uncommitted.peek().burst <= burst) {
      Entered next = uncommitted.peek();
      append(next.storeId, next.end - 1);
      uncommitted.remove();
    }
  }

  private void append(long storeId, long upTo) {
    long queueId = StoreIds.queueOf(storeId);
    if (files.isDeleted(queueId)) {
      return;
    }
    queues.visit(
        storeId,
        files.of(queueId).nextOffset(),
        upTo,
        (offset, location, bodyLength) -> append(queueId, offset, location));
  }

  private void append(long queueId, long offset, long location) {
    try {
      SegmentLog.Entry entry = log.readEntry(location);
      files.append(queueId, offset, entry.message(), entry.enqueuedAtMillis());
    } catch (DamagedRecordException e) {
      LOGGER.error("Offset {} of stream {} is lost: {}", offset, queueId, e.getMessage());
    }
  }

  /** The leader settles only what is committed. */
  @Override
  public void leaves(long storeId, long upTo) {
    long queueId = StoreIds.queueOf(storeId);
    if (!files.isDeleted(queueId)) {
      append(storeId, upTo);
      StreamLog stream = files.of(queueId);
      files.force(stream, Math.min(upTo + 1, stream.nextOffset()));
    }
  }

  @Override
  public void deleted(long storeId) {
    entered.remove(storeId);
    files.delete(StoreIds.queueOf(storeId));
  }
}
