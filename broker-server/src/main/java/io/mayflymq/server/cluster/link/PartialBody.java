package io.mayflymq.server.cluster.link;

import io.mayflymq.core.link.LinkReader;
import io.mayflymq.server.cluster.transport.frame.FrameException;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;

/** The parts that have arrived of a body that is larger than a frame. */
final class PartialBody {
  /** The largest message of AMQP that the broker takes, and what comes with it in a burst. */
  private static final int LARGEST = 640 * 1024 * 1024;

  private final ByteArrayOutputStream parts = new ByteArrayOutputStream(0);

  boolean isEmpty() {
    return parts.size() == 0;
  }

  void add(ByteBuf part) throws FrameException {
    if (parts.size() + (long) part.readableBytes() > LARGEST) {
      throw new FrameException("a body of more than %d bytes in several frames".formatted(LARGEST));
    }
    byte[] bytes = new byte[part.readableBytes()];
    part.readBytes(bytes);
    parts.writeBytes(bytes);
  }

  /** Returns the whole, and is empty again. */
  LinkReader take() {
    byte[] whole = parts.toByteArray();
    parts.reset();
    return new LinkReader(whole, whole.length);
  }
}
