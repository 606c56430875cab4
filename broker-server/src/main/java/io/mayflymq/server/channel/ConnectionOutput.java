package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.protocol.codec.FrameEncoder;
import io.mayflymq.protocol.codec.FrameLimits;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * The output of a connection. Frames are encoded into one buffer while a burst runs, which is
 * written and flushed once at its end: one system call, however many channels and queues have
 * written. A full buffer is passed on to Netty in between, which counts it towards writability;
 * bodies larger than a buffer go frame by frame.
 *
 * <p>Used on the connection's loop only; isWritable may be called by any thread.
 */
public final class ConnectionOutput implements EndOfBurstListener {
  private static final int SMALLEST_BUFFER = 1024;
  private static final int LARGEST_BUFFER = 128 * 1024;
  private static final long FLOOD_BYTES = 32L << 20;

  private final Channel socket;
  private final Shard home;
  private final HeldClients clients;
  private final Counters traffic = new Counters();
  private int frameMax = FrameLimits.DEFAULT_FRAME_MAX;
  private int nextCapacity = SMALLEST_BUFFER;
  private ByteBuf buffer;
  private boolean flushWaits;

  /** Takes what a channel would send of messages; null if all goes to the socket. */
  private ChannelTap tap;

  private int tapped;

  /**
   * Creates the output of a connection.
   *
   * @param socket the socket to write to
   * @param home the shard on the connection's loop
   * @param clients whether what is written is sent later
   */
  public ConnectionOutput(Channel socket, Shard home, HeldClients clients) {
    this.socket = socket;
    this.home = home;
    this.clients = clients;
  }

  /** Sets what was negotiated: the largest frame in bytes, overhead included; 0 for no limit. */
  public void setFrameMax(int bytes) {
    frameMax = bytes;
  }

  /** Has what a channel would send of messages taken within the broker from now on. */
  public void tap(int channel, ChannelTap by) {
    tapped = channel;
    tap = by;
  }

  private boolean isTapped(int channel) {
    return tap != null && tapped == channel;
  }

  /**
   * Returns whether the peer keeps up: not too much is waiting to be written. Any thread may call.
   */
  public boolean isWritable() {
    return socket.isWritable();
  }

  /**
   * Returns whether so much waits to be written that no more may be read from the client.
   * Deliveries stop long before, so this consists of replies and returned messages. On the
   * connection's loop.
   */
  public boolean isFlooded() {
    return pendingBytes() > FLOOD_BYTES;
  }

  /** Returns how many bytes wait to be written. On the connection's loop. */
  public long pendingBytes() {
    ChannelOutboundBuffer waiting = socket.unsafe().outboundBuffer();
    return waiting == null ? 0 : waiting.totalPendingWriteBytes();
  }

  /**
   * Returns the counters of bytes and packets written; the reader counts what was read here, too.
   */
  public Counters traffic() {
    return traffic;
  }

  /** Writes a method. */
  public void method(int channel, Method method) {
    FrameEncoder.method(room(256), channel, method);
  }

  /** Writes a message that no queue takes back to its publisher. */
  void giveBack(int channel, BasicMethod.Return why, Message message) {
    if (isTapped(channel)) {
      tap.returned();
    } else {
      content(channel, why, message);
    }
  }

  /** Writes a method with the content of a message. */
  public void content(int channel, Method method, Message message) {
    method(channel, method);
    FrameEncoder.contentHeader(
        room(64 + message.propertiesLength()),
        channel,
        message.content(),
        message.propertiesLength(),
        message.bodyLength());
    body(channel, message);
  }

  /** Writes a delivery. */
  public void deliver(
      int channel,
      ShortString consumerTag,
      long deliveryTag,
      boolean redelivered,
      Message message) {
    if (isTapped(channel)) {
      tap.deliver(deliveryTag, message);
      return;
    }
    int bodyLength = message.bodyLength();
    if (bodyLength <= LARGEST_BUFFER / 2) {
      int size =
          FrameEncoder.deliverSize(
              consumerTag,
              message.exchange(),
              message.routingKey(),
              message.propertiesLength(),
              bodyLength,
              frameMax);
      FrameEncoder.deliver(
          room(size),
          channel,
          consumerTag,
          deliveryTag,
          redelivered,
          message.exchange(),
          message.routingKey(),
          message.content(),
          message.propertiesLength(),
          bodyLength,
          frameMax);
    } else {
      FrameEncoder.deliverHead(
          room(1024 + message.propertiesLength()),
          channel,
          consumerTag,
          deliveryTag,
          redelivered,
          message.exchange(),
          message.routingKey(),
          message.content(),
          message.propertiesLength(),
          bodyLength);
      body(channel, message);
    }
  }

  private void body(int channel, Message message) {
    int largest = FrameLimits.maxPayload(frameMax);
    int end = message.content().length;
    for (int at = message.propertiesLength(); at < end; ) {
      int size = Math.min(end - at, largest);
      FrameEncoder.bodyFrame(
          room(size + FrameLimits.OVERHEAD_BYTES), channel, message.content(), at, size);
      at += size;
    }
  }

  /** Writes a {@code basic.ack} to a publisher. */
  public void ack(int channel, long deliveryTag, boolean multiple) {
    if (isTapped(channel)) {
      tap.settled(deliveryTag, multiple, true);
      return;
    }
    FrameEncoder.ack(room(32), channel, deliveryTag, multiple);
  }

  /** Writes a {@code basic.nack} to a publisher. */
  public void nack(int channel, long deliveryTag, boolean multiple) {
    if (isTapped(channel)) {
      tap.settled(deliveryTag, multiple, false);
      return;
    }
    FrameEncoder.nack(room(32), channel, deliveryTag, multiple, false);
  }

  /** Writes a heartbeat. */
  public void heartbeat() {
    FrameEncoder.heartbeat(room(8));
  }

  /** Returns the buffer to write to, with room for so many bytes. */
  private ByteBuf room(int bytes) {
    if (buffer != null && buffer.writableBytes() < bytes) {
      passOn();
    }
    if (buffer == null) {
      buffer = socket.alloc().directBuffer(Math.max(nextCapacity, bytes));
      nextCapacity = Math.min(nextCapacity * 2, LARGEST_BUFFER);
    }
    if (!flushWaits) {
      flushWaits = true;
      home.atEndOfBurst(this);
    }
    return buffer;
  }

  private void passOn() {
    traffic.add(Counter.SENT_BYTES, buffer.readableBytes());
    traffic.add(Counter.SENT_PACKETS, 1);
    socket.write(buffer, socket.voidPromise());
    buffer = null;
  }

  @Override
  public void endOfBurst() {
    if (clients.areHeld()) {
      clients.sendLater(this::send);
    } else {
      send();
    }
  }

  private void send() {
    flushWaits = false;
    if (buffer != null) {
      nextCapacity =
          Math.max(
              SMALLEST_BUFFER,
              Math.min(LARGEST_BUFFER, Integer.highestOneBit(buffer.readableBytes()) * 2));
      passOn();
    }
    socket.flush();
  }

  /** Releases the buffer; to be called when the socket has been closed. */
  public void release() {
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
  }
}
