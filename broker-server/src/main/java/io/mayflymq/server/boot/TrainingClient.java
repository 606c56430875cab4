package io.mayflymq.server.boot;

import io.mayflymq.protocol.codec.FrameEncoder;
import io.mayflymq.protocol.codec.FrameLimits;
import io.mayflymq.protocol.codec.FrameType;
import io.mayflymq.protocol.codec.ProtocolHeader;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.ChannelMethod;
import io.mayflymq.protocol.method.ConfirmMethod;
import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.method.QueueMethod;
import io.mayflymq.protocol.types.FieldTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A client with one connection and one channel, as much of AMQP 0-9-1 as {@link TrainingLoad}
 * needs: it sends a batch, and then reads what the broker sends. Belongs to one thread.
 */
final class TrainingClient implements AutoCloseable {
  private static final int CHANNEL = 1;
  private static final int FRAME_MAX = 131_072;
  private static final int READ_TIMEOUT_MILLIS = 60_000;
  private static final byte[] GUEST = "\0guest\0guest".getBytes(StandardCharsets.US_ASCII);

  private final Socket socket;
  private final ByteBuf out = Unpooled.buffer();
  private final ByteBuf in = Unpooled.buffer();
  private long deliveries;
  private long lastDelivery;
  private long confirmed;

  private TrainingClient(Socket socket) {
    this.socket = socket;
  }

  /**
   * Logs in as guest and opens a channel with confirms.
   *
   * @throws IOException if the broker does not answer as expected
   */
  static TrainingClient connect(InetSocketAddress address) throws IOException {
    TrainingClient client = new TrainingClient(new Socket());
    try {
      client.open(address);
      return client;
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private void open(InetSocketAddress address) throws IOException {
    socket.connect(address, READ_TIMEOUT_MILLIS);
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    ProtocolHeader.writeTo(out);
    await(ConnectionMethod.Start.class);
    send(0, new ConnectionMethod.StartOk(FieldTable.EMPTY, "PLAIN", GUEST, "en_US"));
    await(ConnectionMethod.Tune.class);
    send(0, new ConnectionMethod.TuneOk(CHANNEL, FRAME_MAX, 0));
    send(0, new ConnectionMethod.Open("/"));
    await(ConnectionMethod.OpenOk.class);
    send(CHANNEL, new ChannelMethod.Open());
    await(ChannelMethod.OpenOk.class);
    send(CHANNEL, new ConfirmMethod.Select(false));
    await(ConfirmMethod.SelectOk.class);
  }

  /** Declares a durable queue. */
  void declare(String queue, FieldTable arguments) throws IOException {
    send(CHANNEL, new QueueMethod.Declare(queue, false, true, false, false, false, arguments));
    await(QueueMethod.DeclareOk.class);
  }

  /** Begins to receive the messages of a queue. */
  void consume(String queue, boolean noAck) throws IOException {
    send(CHANNEL, new BasicMethod.Consume(queue, "", false, noAck, false, false, FieldTable.EMPTY));
    await(BasicMethod.ConsumeOk.class);
  }

  /**
   * Publishes a message to a queue, with the next batch.
   *
   * @param content the encoded properties, and the body after them
   */
  void publish(String queue, byte[] content, int propertiesLength) {
    send(CHANNEL, new BasicMethod.Publish("", queue, false, false));
    int length = content.length - propertiesLength;
    FrameEncoder.contentHeader(out, CHANNEL, content, propertiesLength, length);
    FrameEncoder.body(out, CHANNEL, content, propertiesLength, length, FRAME_MAX);
  }

  /** Acknowledges all that has been delivered, with the next batch. */
  void acknowledge() {
    FrameEncoder.ack(out, CHANNEL, lastDelivery, true);
  }

  /**
   * Sends the batch, and reads until so many messages have been confirmed and delivered in all.
   *
   * @throws IOException if the broker closes the channel or the connection, or is silent for a
   *     minute
   */
  void awaitAll(long confirms, long delivered) throws IOException {
    flush();
    while (confirmed < confirms || deliveries < delivered) {
      read();
    }
  }

  private void send(int channel, Method method) {
    FrameEncoder.method(out, channel, method);
  }

  private void await(Class<? extends Method> expected) throws IOException {
    flush();
    Method last = null;
    while (!expected.isInstance(last)) {
      last = read();
    }
  }

  private void flush() throws IOException {
    out.readBytes(socket.getOutputStream(), out.readableBytes());
    out.clear();
  }

  /** Reads a frame; returns its method, or null if it has none. */
  private Method read() throws IOException {
    require(FrameLimits.HEADER_BYTES);
    int type = in.getUnsignedByte(in.readerIndex());
    int size = in.getInt(in.readerIndex() + 3);
    require(FrameLimits.OVERHEAD_BYTES + size);
    int payload = in.readerIndex() + FrameLimits.HEADER_BYTES;
    Method method = type == FrameType.METHOD ? Method.decode(in, payload, size) : null;
    in.skipBytes(FrameLimits.OVERHEAD_BYTES + size);
    received(method);
    return method;
  }

  private void received(Method method) throws IOException {
    if (method instanceof BasicMethod.Deliver delivery) {
      deliveries++;
      lastDelivery = delivery.deliveryTag();
    } else if (method instanceof BasicMethod.Ack ack) {
      confirmed = ack.deliveryTag();
    } else if (method instanceof ChannelMethod.Close close) {
      throw new IOException("the broker closed the channel: " + close.replyText());
    } else if (method instanceof ConnectionMethod.Close close) {
      throw new IOException("the broker closed the connection: " + close.replyText());
    }
  }

  /** Has so many bytes in the buffer. */
  private void require(int bytes) throws IOException {
    while (in.readableBytes() < bytes) {
      in.discardReadBytes();
      in.ensureWritable(FRAME_MAX);
      if (in.writeBytes(socket.getInputStream(), FRAME_MAX) < 0) {
        throw new EOFException("the broker closed the connection");
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
