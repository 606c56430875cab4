package io.mayflymq.server.cluster.link;

import io.mayflymq.server.cluster.transport.FrameException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What bodies in several frames may take of the heap, on all connections together. A body is there
 * twice while it is put together, and its messages are copied once more when they are read: so its
 * parts may take a quarter of the heap. Any thread may call.
 */
final class BodyMemory {
  /** The largest message of AMQP that the broker takes, and what comes with it in a burst. */
  private static final long LARGEST = 640L * 1024 * 1024;

  private static final int PART_OF_HEAP = 4;

  /** That of the process, since its heap is one. */
  static final BodyMemory OF_PROCESS = ofHeap(Runtime.getRuntime().maxMemory());

  private final long limit;
  private final AtomicLong used = new AtomicLong();

  private BodyMemory(long limit) {
    this.limit = limit;
  }

  /** Returns what a heap of so many bytes can take. */
  static BodyMemory ofHeap(long heapBytes) {
    return new BodyMemory(Math.min(LARGEST, heapBytes / PART_OF_HEAP));
  }

  /**
   * Takes memory for a part of a body.
   *
   * @param bytes of the part
   * @param before of the parts before
   * @throws FrameException if there is not enough; nothing is taken then
   */
  void take(int bytes, long before) throws FrameException {
    if (before + bytes > limit) {
      throw new FrameException(
          ("a body of %d bytes or more in several frames; this node takes at most %d, by the size of"
                  + " its heap")
              .formatted(before + bytes, limit));
    }
    long all = used.addAndGet(bytes);
    if (all > limit) {
      used.addAndGet(-bytes);
      throw new FrameException(
          ("a body of %d bytes or more in several frames, while others take %d; this node takes at"
                  + " most %d of all connections, by the size of its heap")
              .formatted(before + bytes, all - bytes - before, limit));
    }
  }

  /** Gives memory back. */
  void release(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Returns how much is taken, in bytes. */
  long used() {
    return used.get();
  }
}
