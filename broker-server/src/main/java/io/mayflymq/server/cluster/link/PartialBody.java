package io.mayflymq.server.cluster.link;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.server.cluster.transport.FrameException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** The parts that have arrived of a body that is larger than a frame. */
final class PartialBody {
  private final BodyMemory memory;
  private final ArrayDeque<byte[]> parts = new ArrayDeque<>(0);
  private long size;

  PartialBody(BodyMemory memory) {
    this.memory = memory;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /**
   * Adds a part.
   *
   * @throws FrameException if the heap cannot take it
   */
  void add(ByteBuf part) throws FrameException {
    int length = part.readableBytes();
    memory.take(length, size);
    size += length;
    if (length > 0) {
      byte[] bytes = new byte[length];
      part.readBytes(bytes);
      parts.add(bytes);
    }
  }

  /** Returns the whole. Its memory is taken until {@link #clear}. */
  ByteReader whole() {
    ByteBuffer whole = ByteBuffer.allocate((int) size);
    // Each part is let go when it is copied.
    for (byte[] part = parts.poll(); part != null; part = parts.poll()) {
      whole.put(part);
    }
    return new ByteReader(whole.flip());
  }

  /** Makes it empty. */
  void clear() {
    memory.release(size);
    size = 0;
    parts.clear();
  }
}
