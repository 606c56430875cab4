package io.mayflymq.server.cluster.transport;

import io.mayflymq.core.runtime.Causes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The side of a connection for requests that answers. */
final class AnswerConnection extends NodeFrameHandler {
  private static final int LONGEST_FAILURE = 4096;

  private final String node;
  private final CallHandlers handlers;
  private final Consumer<String> onClosed;

  /**
   * Creates the handler.
   *
   * @param node the other side
   * @param onClosed told why when the connection is closed
   */
  AnswerConnection(
      String node, CallHandlers handlers, TransportTimes times, Consumer<String> onClosed) {
    super(times);
    this.node = node;
    this.handlers = handlers;
    this.onClosed = onClosed;
  }

  @Override
  protected void frame(int type, ByteBuf body) throws FrameException {
    if (type != NodeFrameType.REQUEST) {
      throw new FrameException("unexpected frame of type " + type);
    }
    long id = body.readLong();
    int service = body.readUnsignedByte();
    byte[] request = new byte[body.readableBytes()];
    body.readBytes(request);
    ChannelHandlerContext here = context();
    CompletableFuture<byte[]> answer = handlers.answer(node, service, request);
    answer.whenComplete(
        (bytes, failure) -> {
          if (here.executor().inEventLoop()) {
            answer(id, bytes, failure);
          } else {
            here.executor().execute(() -> answer(id, bytes, failure));
          }
        });
  }

  private void answer(long id, byte[] bytes, Throwable failure) {
    if (!context().channel().isActive()) {
      return;
    }
    ByteBuf out = context().alloc().buffer();
    String text = failure == null ? null : message(failure);
    if (failure == null) {
      int start = FrameWriter.begin(out, NodeFrameType.ANSWER);
      out.writeLong(id).writeBytes(bytes);
      try {
        FrameWriter.end(out, start);
      } catch (FrameException e) {
        text = "the answer cannot be sent: " + e.getMessage();
      }
    }
    if (text != null) {
      int start = FrameWriter.begin(out, NodeFrameType.FAILURE);
      out.writeLong(id);
      int from = out.writerIndex();
      ByteBufUtil.writeUtf8(out, text);
      out.writerIndex(Math.min(out.writerIndex(), from + LONGEST_FAILURE));
      FrameWriter.endSmall(out, start);
    }
    context().writeAndFlush(out);
  }

  private static String message(Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  @Override
  protected void closed(String why) {
    onClosed.accept(why);
  }
}
