package io.mayflymq.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.protocol.types.WireArbitraries;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class FrameEncoderTest {
  private final ByteBuf out = Unpooled.buffer(4);

  private void assertWritten(String hex) {
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex.replace(" ", ""));
  }

  @Test
  void deliveryIsEncodedByteByByte() {
    byte[] content = HexFormat.of().parseHex("1000" + "02" + "6869");

    FrameEncoder.deliver(
        out,
        0x8001,
        ShortString.of("ct"),
        7,
        true,
        ShortString.of("x"),
        ShortString.EMPTY,
        content,
        3,
        2,
        4096);

    assertWritten(
        "01 8001 00000013 003c 003c 026374 0000000000000007 01 0178 00 ce"
            + "02 8001 0000000f 003c 0000 0000000000000002 100002 ce"
            + "03 8001 00000002 6869 ce");
  }

  @Test
  void emptyBodyHasNoBodyFrame() {
    FrameEncoder.deliver(
        out,
        1,
        ShortString.EMPTY,
        1,
        false,
        ShortString.EMPTY,
        ShortString.EMPTY,
        new byte[2],
        2,
        0,
        4096);

    assertWritten(
        "01 0001 00000010 003c 003c 00 0000000000000001 00 00 00 ce"
            + "02 0001 0000000e 003c 0000 0000000000000000 0000 ce");
  }

  @Test
  void bodyIsSplitAtFrameMax() {
    byte[] body = {1, 2, 3, 4, 5};

    FrameEncoder.body(out, 1, body, 0, 5, 10);

    assertWritten("03 0001 00000002 0102 ce 03 0001 00000002 0304 ce 03 0001 00000001 05 ce");
    assertThat(FrameEncoder.bodyFramesSize(5, 10)).isEqualTo(5 + 3 * 8);
    assertThat(FrameEncoder.bodyFramesSize(4, 10)).isEqualTo(4 + 2 * 8);
    assertThat(FrameEncoder.bodyFramesSize(0, 10)).isZero();
    assertThat(FrameEncoder.bodyFramesSize(1 << 27, 0)).isEqualTo((1 << 27) + 8);
    assertThat(FrameEncoder.bodyFramesSize(1 << 27, 131072))
        .isEqualTo((1 << 27) + 8 * (((1 << 27) + 131063) / 131064));
  }

  @Test
  void acksAndNacksAreEncodedByteByByte() {
    FrameEncoder.ack(out, 3, 258, true);
    FrameEncoder.ack(out, 3, 1, false);
    FrameEncoder.nack(out, 3, -1, false, true);
    FrameEncoder.nack(out, 3, 2, true, false);

    assertWritten(
        "01 0003 0000000d 003c 0050 0000000000000102 01 ce"
            + "01 0003 0000000d 003c 0050 0000000000000001 00 ce"
            + "01 0003 0000000d 003c 0078 ffffffffffffffff 02 ce"
            + "01 0003 0000000d 003c 0078 0000000000000002 01 ce");
  }

  @Test
  void heartbeatIsEncodedByteByByte() {
    FrameEncoder.heartbeat(out);

    assertWritten("08 0000 00000000 ce");
  }

  @Test
  void methodThatCannotBeEncodedWritesNothing() {
    FrameEncoder.heartbeat(out);
    Method tooLong = new BasicMethod.Deliver("t", 1, false, "x", "k".repeat(256));

    assertThatThrownBy(() -> FrameEncoder.method(out, 1, tooLong))
        .isInstanceOf(IllegalArgumentException.class);
    assertWritten("08 0000 00000000 ce");
  }

  @Test
  void bodyFrameIsEncodedFromABuffer() {
    ByteBuf body = Unpooled.wrappedBuffer(new byte[] {9, 1, 2, 9});

    FrameEncoder.bodyFrame(out, 1, body, 1, 2);

    assertWritten("03 0001 00000002 0102 ce");
    assertThat(body.readerIndex()).isZero();
  }

  /** A delivery with the frame-max it goes out by. */
  @SuppressWarnings("ArrayRecordComponent")
  record Delivery(
      BasicMethod.Deliver method, BasicProperties properties, byte[] body, int frameMax) {}

  @Property(tries = 300)
  void deliveryEncodedAtOnceEqualsItsPartsEncodedSeparately(
      @ForAll("deliveries") Delivery delivery) {
    BasicMethod.Deliver method = delivery.method();
    ShortString tag = ShortString.of(method.consumerTag());
    ShortString exchange = ShortString.of(method.exchange());
    ShortString key = ShortString.of(method.routingKey());
    byte[] list = delivery.properties().encode();
    byte[] body = delivery.body();
    byte[] content = Arrays.copyOf(list, list.length + body.length);
    System.arraycopy(body, 0, content, list.length, body.length);
    int frameMax = delivery.frameMax();
    ByteBuf parts = Unpooled.buffer();
    FrameEncoder.method(parts, 5, method);
    FrameEncoder.contentHeader(parts, 5, list, list.length, body.length);
    FrameEncoder.body(parts, 5, body, 0, body.length, frameMax);

    ByteBuf whole = Unpooled.buffer();
    FrameEncoder.deliver(
        whole,
        5,
        tag,
        method.deliveryTag(),
        method.redelivered(),
        exchange,
        key,
        content,
        list.length,
        body.length,
        frameMax);
    assertThat(whole).isEqualTo(parts);
    assertThat(FrameEncoder.deliverSize(tag, exchange, key, list.length, body.length, frameMax))
        .isEqualTo(whole.readableBytes());

    ByteBuf streamed = Unpooled.buffer();
    FrameEncoder.deliverHead(
        streamed,
        5,
        tag,
        method.deliveryTag(),
        method.redelivered(),
        exchange,
        key,
        content,
        list.length,
        body.length);
    int max = frameMax == 0 ? Integer.MAX_VALUE : frameMax - 8;
    for (int at = 0; at < body.length; at += Math.min(max, body.length - at)) {
      int size = Math.min(max, body.length - at);
      FrameEncoder.bodyFrame(streamed, 5, content, list.length + at, size);
    }
    assertThat(streamed).isEqualTo(parts);
  }

  @Provide
  Arbitrary<Delivery> deliveries() {
    Arbitrary<String> texts =
        Arbitraries.oneOf(WireArbitraries.shortTexts(), WireArbitraries.rawTexts());
    Arbitrary<BasicMethod.Deliver> methods =
        Combinators.combine(texts, Arbitraries.longs(), Arbitraries.of(true, false), texts, texts)
            .as(BasicMethod.Deliver::new);
    return Combinators.combine(
            methods,
            WireArbitraries.properties(),
            WireArbitraries.bytes(200),
            Arbitraries.of(0, 9, 40, 4096))
        .as(Delivery::new);
  }
}
