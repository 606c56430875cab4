package io.mayflymq.server.cluster.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.charset.StandardCharsets;

/**
 * One side of an established connection between nodes: sends heartbeats, closes the connection when
 * the other side is lost or sends what cannot be read. All methods are called on the connection's
 * loop, but for {@link #closeSoon}.
 */
public abstract class NodeFrameHandler extends ChannelInboundHandlerAdapter {
  private final int lostMillis;
  private volatile ChannelHandlerContext context;

  /** Why it is to be closed, if another thread has said so. */
  private volatile String wanted;

  private String reason;
  private boolean closed;

  /**
   * Creates the handler.
   *
   * @param times of these, when the other side is lost; that is observed by a handler before
   */
  protected NodeFrameHandler(TransportTimes times) {
    this.lostMillis = times.lost();
  }

  /** Called once, on the loop that the connection stays on, before the first frame. */
  protected void opened() {}

  /**
   * Processes a frame.
   *
   * @param body readable until the method returns, unless retained
   * @throws FrameException if it cannot be read; the connection is closed then
   */
  protected abstract void frame(int type, ByteBuf body) throws FrameException;

  /** Called when all that was read from the socket has been processed. */
  protected void endOfRead() {}

  /**
   * Called before the connection is closed since the other side has sent what cannot be read.
   *
   * @param why in one line
   */
  protected void unreadable(String why) {}

  /**
   * Called once, when the connection is closed.
   *
   * @param why in one line
   */
  protected abstract void closed(String why);

  /** Returns the context; null before the handler is added. */
  protected final ChannelHandlerContext context() {
    return context;
  }

  /** Closes the connection, and tells the other side why. */
  public final void close(String why) {
    if (reason == null) {
      reason = why;
      ByteBuf out = context.alloc().buffer();
      FrameWriter.text(out, NodeFrameType.CLOSING, why);
      context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
      // A side that does not read is not waited for.
      closeNow();
    }
  }

  /**
   * Closes the connection on its loop; any thread may call. One whose handler is not added yet is
   * closed when it is.
   */
  final void closeSoon(String why) {
    wanted = why;
    ChannelHandlerContext added = context;
    if (added != null) {
      added.executor().execute(() -> close(why));
    }
  }

  /** Closes the connection, since what the other side has sent cannot be read. */
  protected final void closeUnreadable(String why) {
    if (reason == null) {
      unreadable(why);
      close(why);
    }
  }

  private void closeNow() {
    context.channel().eventLoop().execute(() -> context.close());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    String why = wanted;
    if (why != null) {
      added.executor().execute(() -> close(why));
    }
  }

  @Override
  public final void channelRead(ChannelHandlerContext from, Object message) {
    ByteBuf frame = (ByteBuf) message;
    try {
      if (reason != null) {
        return;
      }
      int type = frame.readUnsignedByte();
      if (type == NodeFrameType.CLOSING) {
        reason =
            "the other node closed it: " + Lines.printable(frame.toString(StandardCharsets.UTF_8));
        from.close();
      } else if (type != NodeFrameType.HEARTBEAT) {
        frame(type, frame);
      }
    } catch (FrameException e) {
      closeUnreadable(e.getMessage());
    } catch (IndexOutOfBoundsException e) {
      closeUnreadable("a frame that is too short");
    } finally {
      frame.release();
    }
  }

  @Override
  public final void channelReadComplete(ChannelHandlerContext from) {
    if (reason == null) {
      endOfRead();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext from, Object event) throws Exception {
    if (event instanceof IdleStateEvent idle) {
      if (idle.state() == IdleState.READER_IDLE) {
        if (!idle.isFirst()) {
          close("nothing was heard for " + lostMillis + " ms");
        }
      } else {
        ByteBuf out = from.alloc().buffer(FrameWriter.HEADER);
        FrameWriter.endSmall(out, FrameWriter.begin(out, NodeFrameType.HEARTBEAT));
        from.writeAndFlush(out);
      }
    }
    super.userEventTriggered(from, event);
  }

  @Override
  public final void channelInactive(ChannelHandlerContext from) {
    if (!closed) {
      closed = true;
      closed(reason == null ? "the other side closed the connection" : reason);
    }
  }

  @Override
  public final void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
    if (cause instanceof FrameException) {
      closeUnreadable(cause.getMessage());
    } else if (reason == null) {
      reason = Lines.printable(String.valueOf(cause.getMessage()));
      from.close();
    }
  }
}
