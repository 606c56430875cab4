package io.mayflymq.bench;

import io.mayflymq.protocol.codec.BufferedMessage;
import io.mayflymq.protocol.codec.FrameDecoder;
import io.mayflymq.protocol.codec.FrameEncoder;
import io.mayflymq.protocol.codec.FrameHandler;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a read burst brings, from bytes to calls; the operation is one message or acknowledgement.
 */
public class FrameDecoding extends Measured {
  private static final int BURST = 256;
  private static final int FRAME_MAX = 131_072;

  @Param({"16", "1024"})
  int bodyBytes;

  private final Sum sum = new Sum();
  private ByteBuf sameKey;
  private ByteBuf otherKeys;
  private ByteBuf acks;
  private FrameDecoder decoder;
  private FrameDecoder frameByFrame;

  /** Encodes the bursts. */
  @Setup
  public void encode() {
    byte[] content = Messages.content(Messages.PERSISTENT, bodyBytes);
    sameKey = Unpooled.directBuffer();
    otherKeys = Unpooled.directBuffer();
    acks = Unpooled.directBuffer();
    for (int i = 0; i < BURST; i++) {
      publish(sameKey, "order.created", content);
      publish(otherKeys, "order." + i * 7919, content);
      FrameEncoder.ack(acks, 1, i + 1, false);
    }
    decoder = new FrameDecoder(sum, FRAME_MAX);
    frameByFrame = new FrameDecoder(sum, FRAME_MAX);
    frameByFrame.setWholeMessages(false);
  }

  private void publish(ByteBuf out, String routingKey, byte[] content) {
    int propertiesLength = content.length - bodyBytes;
    FrameEncoder.method(out, 1, new BasicMethod.Publish("orders", routingKey, false, false));
    FrameEncoder.contentHeader(out, 1, content, propertiesLength, bodyBytes);
    FrameEncoder.body(out, 1, content, propertiesLength, bodyBytes, FRAME_MAX);
  }

  /** Gives the buffers back. */
  @TearDown
  public void release() {
    sameKey.release();
    otherKeys.release();
    acks.release();
  }

  /** Publishes with one key, each handed over as a whole. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long publish() {
    return decode(decoder, sameKey);
  }

  /** Decodes publishes with a different key each: more keys than the cache of names can hold. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long publishOtherKeys() {
    return decode(decoder, otherKeys);
  }

  /** Publishes with one key, handed over frame by frame, as while an alarm is raised. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long publishFrameByFrame() {
    return decode(frameByFrame, sameKey);
  }

  /** Acknowledgements of single messages. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long ack() {
    return decode(decoder, acks);
  }

  private long decode(FrameDecoder by, ByteBuf burst) {
    burst.readerIndex(0);
    by.decode(burst);
    return sum.value;
  }

  /** Uses what it is handed, and keeps nothing. */
  private static final class Sum implements FrameHandler {
    private long value;

    @Override
    public void onMethod(int channel, Method method) {
      throw new IllegalStateException("not sent: " + method);
    }

    @Override
    public void onPublish(
        int channel,
        ShortString exchange,
        ShortString routingKey,
        boolean mandatory,
        boolean immediate) {
      value += channel + exchange.byteLength() + routingKey.byteLength();
    }

    @Override
    public void onAck(int channel, long deliveryTag, boolean multiple) {
      value += channel + deliveryTag;
    }

    @Override
    public void onContentHeader(
        int channel, int classId, long bodySize, ByteBuf in, int index, int length) {
      value += bodySize + length;
    }

    @Override
    public void onContentBody(int channel, ByteBuf in, int index, int length) {
      value += length;
    }

    @Override
    public void onMessage(int channel, BufferedMessage message) {
      value += message.exchange().byteLength() + message.routingKey().byteLength();
      value += message.propertiesLength() + message.bodyLength();
    }

    @Override
    public void onHeartbeat(int channel) {
      value++;
    }

    @Override
    public boolean isSuspended() {
      return false;
    }
  }
}
