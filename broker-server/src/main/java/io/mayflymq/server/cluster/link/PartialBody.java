package io.mayflymq.server.cluster.link;

import io.mayflymq.core.link.LinkReader;
import io.mayflymq.server.cluster.transport.frame.FrameException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** The parts that have arrived of a body that is larger than a frame. */
final class PartialBody {
  /** The largest message of AMQP that the broker takes, and what comes with it in a burst. */
  private static final int LARGEST = 640 * 1024 * 1024;

  private final ArrayDeque<byte[]> parts = new ArrayDeque<>(0);
  private int size;

  boolean isEmpty() {
    return parts.isEmpty();
  }

  void add(ByteBuf part) throws FrameException {
    if (size + (long) part.readableBytes() > LARGEST) {
      throw new FrameException("a body of more than %d bytes in several frames".formatted(LARGEST));
    }
    byte[] bytes = new byte[part.readableBytes()];
    part.readBytes(bytes);
    parts.add(bytes);
    size += bytes.length;
  }

  /** Returns the whole, and is empty again. */
  LinkReader take() {
    ByteBuffer whole = ByteBuffer.allocate(size);
    size = 0;
    // Each part is let go when it is copied.
    for (byte[] part = parts.poll(); part != null; part = parts.poll()) {
      whole.put(part);
    }
    return new LinkReader(whole.flip());
  }
}
