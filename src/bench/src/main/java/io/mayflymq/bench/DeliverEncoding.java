package io.mayflymq.bench;

import io.mayflymq.protocol.codec.FrameEncoder;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures encoding the deliveries of a burst to a consumer into one buffer; the operation is one
 * delivery.
 */
public class DeliverEncoding extends Measured {
  private static final int BURST = 64;
  private static final int FRAME_MAX = 131_072;

  @Param({"16", "1024"})
  int bodyBytes;

  private final ShortString consumerTag = ShortString.of("amq.ctag-x3hT1pQ");
  private final ShortString exchange = ShortString.of("orders");
  private final ShortString routingKey = ShortString.of("order.created");
  private byte[] content;
  private ByteBuf out;

  /** Makes the message, and a buffer that has room for a burst of it. */
  @Setup
  public void prepare() {
    content = Messages.content(Messages.PERSISTENT, bodyBytes);
    out = Unpooled.directBuffer(BURST * (bodyBytes + 256));
  }

  /** Gives the buffer back. */
  @TearDown
  public void release() {
    out.release();
  }

  /** Writes basic.deliver, content header and body. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public ByteBuf deliver() {
    out.clear();
    for (int i = 0; i < BURST; i++) {
      FrameEncoder.deliver(
          out,
          1,
          consumerTag,
          i,
          false,
          exchange,
          routingKey,
          content,
          content.length - bodyBytes,
          bodyBytes,
          FRAME_MAX);
    }
    return out;
  }
}
