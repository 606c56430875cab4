package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.QueueName;
import java.security.SecureRandom;

/**
 * A stream as the flusher knows it: what identifies its files, and the files themselves.
 *
 * <p>Made by the shard's thread and used by the flusher, which sees {@link #logId} with the first
 * write that it gets; the volatile fields are set by either.
 */
final class StreamOutput {
  final long id;
  final QueueName name;
  private final SafeListener listener;

  /** The id in the headers of new segments. It is random, or was found at start. */
  long logId = new SecureRandom().nextLong();

  /** Opened at start, or by the flusher with the first write. */
  volatile StreamFiles files;

  /** Whether the stream was deleted, and nothing more is to be written. */
  volatile boolean forgotten;

  /** Is notified how much of a stream is safe. */
  @FunctionalInterface
  interface SafeListener {
    /**
     * Called on the shard's thread.
     *
     * @param segment the last segment that was written to
     * @param end how much of it is safe, in bytes
     * @param nextOffset the offset after the last safe message
     */
    void safe(StreamSegment segment, int end, long nextOffset);
  }

  StreamOutput(long id, QueueName name, SafeListener listener) {
    this.id = id;
    this.name = name;
    this.listener = listener;
  }

  /** See {@link SafeListener#safe}. */
  void safe(StreamSegment segment, int end, long nextOffset) {
    listener.safe(segment, end, nextOffset);
  }

  @Override
  public String toString() {
    return "stream " + id;
  }
}
