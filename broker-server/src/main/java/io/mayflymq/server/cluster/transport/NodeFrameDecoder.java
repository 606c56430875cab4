package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Cuts bytes into frames. What it passes on is a buffer of type and body. A frame that is damaged
 * or too large ends it: a {@link FrameException} is passed on, and nothing more is read.
 */
public final class NodeFrameDecoder extends ByteToMessageDecoder {
  private static final int SHORTEST = FrameWriter.HEADER - Integer.BYTES;

  private boolean failed;

  /** Creates a decoder. What is read is put together without copying it. */
  public NodeFrameDecoder() {
    setCumulator(COMPOSITE_CUMULATOR);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (failed) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int start = in.readerIndex();
    long length = in.getUnsignedInt(start);
    if (length < SHORTEST || length > FrameWriter.LARGEST) {
      fail(
          context,
          length < SHORTEST
              ? new FrameException("a frame of %d bytes is too short".formatted(length))
              : FrameWriter.tooLarge(length));
      return;
    }
    if (in.readableBytes() < Integer.BYTES + length) {
      return;
    }
    int checked = (int) length - Integer.BYTES;
    int from = start + FrameWriter.HEADER - 1;
    if (in.getInt(start + Integer.BYTES) != FrameWriter.checksum(in, from, checked)) {
      fail(context, new FrameException("a damaged frame: its checksum is wrong"));
      return;
    }
    in.skipBytes(FrameWriter.HEADER - 1);
    out.add(in.readRetainedSlice(checked));
  }

  private void fail(ChannelHandlerContext context, FrameException failure) {
    failed = true;
    context.fireExceptionCaught(failure);
  }
}
