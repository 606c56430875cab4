package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.cluster.transport.FrameException;
import io.mayflymq.server.cluster.transport.FrameWriter;
import io.mayflymq.server.cluster.transport.NodeFrameHandler;
import io.mayflymq.server.cluster.transport.NodeFrameType;
import io.mayflymq.server.cluster.transport.TransportTimes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;

/**
 * One side of a connection that has a shard. On the loop of the shard.
 *
 * <p>What is read at once is processed in one burst of the shard; what is sent in a burst is
 * written at its end, in one buffer.
 *
 * <p>A body may be larger than a frame: it is sent in parts, all but the last with a flag in their
 * type.
 */
final class LinkConnection extends NodeFrameHandler implements LinkPort, EndOfBurstListener {
  /** What is told of the connection, besides the listener. */
  interface Events {
    /** It was closed; the listener was told. */
    void closed(String why);

    /** It is being closed since a frame cannot be read. */
    void unreadable(String why);
  }

  private static final int MORE_FOLLOWS = 0x80;
  private static final int LARGEST_PART = 4 * 1024 * 1024;
  private static final int PASSED_ON = 128 * 1024;
  private static final int SMALLEST_BUFFER = 4096;
  private static final int LARGEST_READ_AHEAD = 512 * 1024;

  private final Shard shard;
  private final LinkListener listener;
  private final int version;
  private final Events events;
  private final ArrayDeque<ByteBuf> read = new ArrayDeque<>();
  private final PartialBody partial = new PartialBody(BodyMemory.OF_PROCESS);
  private long readBytes;
  private ByteBuf buffer;
  private boolean flushWaits;
  private boolean isUp;
  private volatile Channel channel;

  /**
   * Creates the handler.
   *
   * @param version of the frames, which both nodes know
   */
  LinkConnection(
      Shard shard, LinkListener listener, int version, TransportTimes times, Events events) {
    super(times);
    this.shard = shard;
    this.listener = listener;
    this.version = version;
    this.events = events;
  }

  @Override
  protected void opened() {
    channel = context().channel();
    isUp = true;
    try {
      shard.run(() -> listener.up(this));
    } catch (Throwable e) {
      shard.faults().report("the beginning of a connection on", shard, e);
      close("the connection could not be used");
    }
    endOfRead();
  }

  @Override
  protected void frame(int type, ByteBuf body) throws FrameException {
    if ((type & ~MORE_FOLLOWS) < NodeFrameType.FIRST_OF_QUEUES) {
      throw new FrameException("unexpected frame of type " + type);
    }
    // With its type in front again.
    read.add(body.readerIndex(body.readerIndex() - 1).retain());
    readBytes += body.readableBytes();
    if (readBytes > LARGEST_READ_AHEAD) {
      endOfRead();
    }
  }

  @Override
  protected void endOfRead() {
    if (isUp && !read.isEmpty()) {
      readBytes = 0;
      shard.run(this::processAll);
    }
  }

  private void processAll() {
    for (ByteBuf frame = read.poll(); frame != null; frame = read.poll()) {
      try {
        process(frame.readUnsignedByte(), frame);
      } catch (ByteFormatException | FrameException e) {
        closeUnreadable(e.getMessage());
        releaseRead();
      } catch (Throwable e) {
        shard.faults().report("a frame of another node on", shard, e);
        close("the frame could not be processed");
        releaseRead();
      } finally {
        frame.release();
      }
    }
  }

  private void process(int type, ByteBuf body) throws FrameException {
    if ((type & MORE_FOLLOWS) != 0) {
      partial.add(body);
    } else if (partial.isEmpty()) {
      listener.frame(type, new ByteReader(body.nioBuffer()));
    } else {
      partial.add(body);
      try {
        listener.frame(type, partial.whole());
      } finally {
        partial.clear();
      }
    }
  }

  private void releaseRead() {
    read.forEach(ByteBuf::release);
    read.clear();
  }

  @Override
  public int version() {
    return version;
  }

  @Override
  public void send(int type, ByteWriter body) {
    int at = 0;
    while (body.size() - at > LARGEST_PART) {
      write(type | MORE_FOLLOWS, body, at, LARGEST_PART);
      at += LARGEST_PART;
    }
    write(type, body, at, body.size() - at);
    if (!flushWaits) {
      flushWaits = true;
      shard.atEndOfBurst(this);
    }
    if (buffer.readableBytes() > PASSED_ON) {
      passOn();
    }
  }

  /** A buffer that is full is passed on, not enlarged: its bytes would be copied. */
  private void write(int type, ByteWriter body, int from, int length) {
    int needed = FrameWriter.HEADER + length;
    if (buffer != null && buffer.writableBytes() < needed) {
      passOn();
    }
    if (buffer == null) {
      buffer = context().alloc().directBuffer(Math.max(SMALLEST_BUFFER, needed));
    }
    int start = FrameWriter.begin(buffer, type);
    buffer.writeBytes(body.bytes(), from, length);
    FrameWriter.endSmall(buffer, start);
  }

  private void passOn() {
    if (buffer != null) {
      context().write(buffer, context().voidPromise());
      buffer = null;
    }
  }

  @Override
  public void endOfBurst() {
    flushWaits = false;
    passOn();
    context().flush();
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext from) {
    if (isUp && from.channel().isWritable()) {
      shard.run(listener::writable);
    }
  }

  @Override
  protected void unreadable(String why) {
    events.unreadable(why);
  }

  @Override
  protected void closed(String why) {
    releaseRead();
    partial.clear();
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
    isUp = false;
    try {
      shard.run(() -> listener.lost(why));
    } finally {
      events.closed(why);
    }
  }
}
