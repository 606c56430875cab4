package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The side of a connection for requests that asks. */
final class CallConnection extends NodeFrameHandler {
  /** With so many bytes that the other side does not read, requests fail. */
  private static final long MOST_UNREAD = 64L * 1024 * 1024;

  private record Open(CompletableFuture<byte[]> answer, Future<?> timeout) {}

  private final String node;
  private final Consumer<String> onClosed;
  private final LongObjectMap<Open> open = new LongObjectHashMap<>();
  private long lastId;

  /**
   * Creates the handler.
   *
   * @param node the other side
   * @param onClosed told why when the connection is closed, before the requests fail
   */
  CallConnection(String node, TransportTimes times, Consumer<String> onClosed) {
    super(times);
    this.node = node;
    this.onClosed = onClosed;
  }

  /** Sends a request. On the connection's loop. */
  void call(Call call) {
    Channel channel = context().channel();
    if (channel.bytesBeforeWritable() > MOST_UNREAD) {
      call.unreachable(node, "it does not read what was sent to it");
      return;
    }
    long id = ++lastId;
    ByteBuf out = context().alloc().buffer(FrameWriter.HEADER + 9 + call.request().length);
    int start = FrameWriter.begin(out, NodeFrameType.REQUEST);
    out.writeLong(id).writeByte(call.service().code()).writeBytes(call.request());
    try {
      FrameWriter.end(out, start);
    } catch (FrameException e) {
      out.release();
      call.answer()
          .completeExceptionally(
              new NodeCallException(
                  "a request to node %s cannot be sent: %s".formatted(node, e.getMessage())));
      return;
    }
    Future<?> timeout =
        context()
            .executor()
            .schedule(() -> timeout(id, call), call.remainingMillis(), TimeUnit.MILLISECONDS);
    open.put(id, new Open(call.answer(), timeout));
    context().writeAndFlush(out);
  }

  private void timeout(long id, Call call) {
    if (open.remove(id) != null) {
      call.unreachable(node, "no answer within " + call.timeoutMillis() + " ms");
    }
  }

  @Override
  protected void frame(int type, ByteBuf body) throws FrameException {
    if (type != NodeFrameType.ANSWER && type != NodeFrameType.FAILURE) {
      throw new FrameException("unexpected frame of type " + type);
    }
    Open call = open.remove(body.readLong());
    if (call == null) {
      // The answer comes after its time.
      return;
    }
    call.timeout().cancel(false);
    if (type == NodeFrameType.ANSWER) {
      byte[] answer = new byte[body.readableBytes()];
      body.readBytes(answer);
      call.answer().complete(answer);
    } else {
      call.answer()
          .completeExceptionally(new NodeCallException(body.toString(StandardCharsets.UTF_8)));
    }
  }

  @Override
  protected void closed(String why) {
    onClosed.accept(why);
    List<Open> lost = new ArrayList<>(open.values());
    open.clear();
    for (Open call : lost) {
      call.timeout().cancel(false);
      call.answer().completeExceptionally(Call.unreachableException(node, why));
    }
  }
}
