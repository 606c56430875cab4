package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Writes frames into buffers. A frame is its length (4 bytes: of all that follows), the CRC32C of
 * type and body (4), its type (1) and its body.
 */
public final class FrameWriter {
  /** The most that a frame may have behind its length, in bytes. */
  public static final int LARGEST = 16 * 1024 * 1024;

  /** What stands before the body, in bytes. */
  public static final int HEADER = 9;

  private static final int LARGEST_TEXT = 4096;

  private FrameWriter() {}

  /**
   * Begins a frame at the end of a buffer.
   *
   * @return where it begins, for {@link #end}
   */
  public static int begin(ByteBuf out, int type) {
    int start = out.writerIndex();
    out.writeLong(0).writeByte(type);
    return start;
  }

  /**
   * Ends a frame: what was written since {@link #begin} is its body.
   *
   * @throws FrameException if it is too large; the buffer is as it was before {@link #begin} then
   */
  public static void end(ByteBuf out, int start) throws FrameException {
    int length = out.writerIndex() - start - Integer.BYTES;
    if (length > LARGEST) {
      out.writerIndex(start);
      throw tooLarge(length);
    }
    out.setInt(start, length);
    out.setInt(start + Integer.BYTES, checksum(out, start + HEADER - 1, length - Integer.BYTES));
  }

  /** Writes a frame whose body is a text, of which the first 4096 bytes are sent. */
  public static void text(ByteBuf out, int type, String text) {
    int start = begin(out, type);
    int body = out.writerIndex();
    ByteBufUtil.writeUtf8(out, text);
    out.writerIndex(Math.min(out.writerIndex(), body + LARGEST_TEXT));
    endSmall(out, start);
  }

  /** Ends a frame of which is known that it is not too large. */
  public static void endSmall(ByteBuf out, int start) {
    try {
      end(out, start);
    } catch (FrameException e) {
      throw new IllegalStateException(e);
    }
  }

  static FrameException tooLarge(long length) {
    return new FrameException(
        "a frame of %d bytes; at most %d are allowed".formatted(length, LARGEST));
  }

  static int checksum(ByteBuf buffer, int index, int length) {
    CRC32C crc = new CRC32C();
    if (buffer.nioBufferCount() == 1) {
      crc.update(buffer.internalNioBuffer(index, length));
    } else {
      for (ByteBuffer part : buffer.nioBuffers(index, length)) {
        crc.update(part);
      }
    }
    return (int) crc.getValue();
  }
}
