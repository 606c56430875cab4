package io.mayflymq.cluster.store;

import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.RecordTargets;
import io.mayflymq.core.store.segment.WireBurst;
import io.mayflymq.core.store.stream.StreamLog;
import io.mayflymq.core.store.stream.StreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;

/**
 * A copy of what the files of streams have and those of a follower do not, as far as it is forced
 * when the copy begins. What comes later, or is not forced, is in the log. On the shard's thread.
 */
final class StreamCopy {
  private final ReplicaStreams streams;
  private final ArrayDeque<Part> parts = new ArrayDeque<>();
  private final WireBurst.Writer out = new WireBurst.Writer();
  private final RecordTargets target = new RecordTargets();
  private StreamReader reader;

  /** The messages of a stream from an offset to another one, which is left out. */
  private record Part(long queueId, long from, long end) {}

  /**
   * Begins a copy.
   *
   * @param ends the offset after the last message of each stream that the follower has
   */
  StreamCopy(ReplicaStreams streams, Map<Long, Long> ends) {
    this.streams = streams;
    for (long queueId : streams.ids()) {
      StreamLog files = streams.of(queueId);
      long from = Math.max(files.firstOffset(), ends.getOrDefault(queueId, 0L));
      if (from < files.forcedOffset()) {
        parts.add(new Part(queueId, from, files.forcedOffset()));
      }
    }
  }

  /** Whether {@link #next} has returned all. */
  public boolean isComplete() {
    return parts.isEmpty();
  }

  /**
   * Returns the next messages, to be taken by {@link ReplicaStreams#take}.
   *
   * @param budget about how many bytes
   * @throws java.io.UncheckedIOException if the files cannot be read
   */
  public ByteBuffer next(int budget) {
    out.begin();
    while (!parts.isEmpty() && out.length() < budget) {
      Part part = parts.peek();
      if (streams.isDeleted(part.queueId) || !addNext(part)) {
        close();
        parts.remove();
      }
    }
    return out.end(WireBurst.OF_STREAM_FILES);
  }

  private boolean addNext(Part part) {
    if (reader == null) {
      reader = streams.of(part.queueId).readFiles(part.from);
    }
    if (!reader.next() || reader.offset() >= part.end) {
      return false;
    }
    target.clear();
    target.add(StoreIds.ofStream(part.queueId), 0, reader.offset(), Long.MAX_VALUE, 0);
    out.addMessage(target, reader.enqueuedAtMillis(), reader.message());
    return true;
  }

  /** Gives back what it has open. */
  public void close() {
    if (reader != null) {
      reader.close();
      reader = null;
    }
  }
}
