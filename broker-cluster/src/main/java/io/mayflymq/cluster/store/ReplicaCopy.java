package io.mayflymq.cluster.store;

import io.mayflymq.core.store.segment.LogCopy;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.WireBurst;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A copy of all that a leader has, for one follower. Belongs to the shard's thread. */
public final class ReplicaCopy {
  private static final int SLICE = 64 << 10;

  private final LogCopySink sink;
  private final StreamCopy streams;

  /** Null before the first slice. */
  private LogCopy copy;

  private boolean ended;

  /**
   * Creates it; nothing is sent yet.
   *
   * @param streams what the files of streams have, which is sent first
   */
  ReplicaCopy(LogCopySink sink, StreamCopy streams) {
    this.sink = sink;
    this.streams = streams;
  }

  /** Gives it up, as the follower is gone; the sink is not called any more. */
  public void cancel() {
    ended = true;
    streams.close();
  }

  boolean isEnded() {
    return ended;
  }

  /** A burst has ended. */
  void burst(ByteBuffer content) {
    if (copy != null && !ended) {
      sink.part(content);
    }
  }

  /**
   * Sends a slice, if the sink is ready. Between bursts.
   *
   * @return whether the next one can be sent at once
   */
  boolean advance(SegmentLog log, long leaderMillis) {
    if (ended || !sink.isWritable()) {
      return false;
    }
    try {
      if (!streams.isComplete()) {
        sink.part(streams.next(SLICE));
        return true;
      }
      if (copy == null) {
        copy = log.copy();
      }
      ByteBuffer part = copy.next(SLICE, leaderMillis);
      if (part.limit() > WireBurst.RECORDS) {
        sink.part(part);
      }
      if (copy.isComplete()) {
        ended = true;
        sink.end();
      }
      return !copy.isWaiting();
    } catch (IOException | RuntimeException e) {
      fail("the log cannot be copied: " + e.getMessage());
      return false;
    }
  }

  void fail(String reason) {
    if (!ended) {
      ended = true;
      streams.close();
      sink.failed(reason);
    }
  }
}
