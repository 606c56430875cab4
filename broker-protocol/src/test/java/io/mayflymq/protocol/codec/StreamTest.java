package io.mayflymq.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.method.MethodArbitraries;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.WireArbitraries;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The decoder on streams of all kinds, in pieces of all sizes. */
class StreamTest {
  private static final int FRAME_MAX = 8192;

  /** A stream of frames, and what a decoder has to find in it. */
  @SuppressWarnings("ArrayRecordComponent")
  record Stream(byte[] bytes, List<String> events) {}

  /** One to three frames with what they are to be read as. */
  private interface Part {
    void appendTo(ByteBuf out, Events expected);
  }

  private static Stream stream(List<Part> parts) {
    ByteBuf out = Unpooled.buffer();
    Events expected = new Events(true);
    parts.forEach(part -> part.appendTo(out, expected));
    return new Stream(ByteBufUtil.getBytes(out), expected.lines);
  }

  private static Part methodPart(int channel, Method method) {
    return (out, expected) -> {
      FrameEncoder.method(out, channel, method);
      expected.onMethod(channel, method);
    };
  }

  private static Part messagePart(
      int channel, BasicMethod.Publish publish, BasicProperties properties, byte[] body, int max) {
    return (out, expected) -> {
      byte[] list = properties.encode();
      FrameEncoder.method(out, channel, publish);
      expected.onMethod(channel, publish);
      FrameEncoder.contentHeader(out, channel, list, list.length, body.length);
      ByteBuf listed = Unpooled.wrappedBuffer(list);
      expected.onContentHeader(channel, 60, body.length, listed, 0, list.length);
      FrameEncoder.body(out, channel, body, 0, body.length, max);
      ByteBuf content = Unpooled.wrappedBuffer(body);
      for (int at = 0; at < body.length; at += max - 8) {
        expected.onContentBody(channel, content, at, Math.min(max - 8, body.length - at));
      }
    };
  }

  private static Part heartbeatPart() {
    return (out, expected) -> {
      FrameEncoder.heartbeat(out);
      expected.onHeartbeat(0);
    };
  }

  @Provide
  Arbitrary<Stream> streams() {
    Arbitrary<Integer> channels = Arbitraries.integers().between(1, 0xFFFF);
    Arbitrary<Part> methods =
        Combinators.combine(channels, MethodArbitraries.methods()).as(StreamTest::methodPart);
    Arbitrary<Part> messages =
        Combinators.combine(
                channels,
                MethodArbitraries.methods(BasicMethod.Publish.class),
                WireArbitraries.properties(),
                WireArbitraries.bytes(100),
                Arbitraries.of(40, FRAME_MAX))
            .as(
                (channel, publish, properties, body, max) ->
                    messagePart(channel, (BasicMethod.Publish) publish, properties, body, max));
    return Arbitraries.frequencyOf(
            Tuple.of(4, messages),
            Tuple.of(4, methods),
            Tuple.of(1, Arbitraries.create(StreamTest::heartbeatPart)))
        .list()
        .ofMaxSize(6)
        .map(StreamTest::stream);
  }

  @Property(tries = 300)
  void everyChunkingGivesTheSameEvents(
      @ForAll("streams") Stream stream, @ForAll("sizes") List<Integer> sizes) {
    assertThat(decodeChunked(stream.bytes(), sizes).lines).isEqualTo(stream.events());
  }

  @Property(tries = 50)
  void directMemoryGivesTheSameEvents(@ForAll("streams") Stream stream) {
    ByteBuf in = Unpooled.directBuffer(stream.bytes().length, stream.bytes().length);
    Events events = new Events(true);
    try {
      new FrameDecoder(events, FRAME_MAX).decode(in.writeBytes(stream.bytes()));
    } finally {
      in.release();
    }
    assertThat(events.lines).isEqualTo(stream.events());
  }

  @Property(tries = 60)
  void everySplitInTwoGivesTheSameEvents(@ForAll("streams") Stream stream) {
    byte[] bytes = stream.bytes();
    for (int cut = 0; cut <= Math.min(bytes.length, 300); cut++) {
      assertThat(decodeChunked(bytes, List.of(cut, bytes.length)).lines).isEqualTo(stream.events());
    }
  }

  @Property(tries = 1000)
  void mutatedFramesCauseOnlyProtocolErrors(
      @ForAll("mutated") byte[] bytes, @ForAll("sizes") List<Integer> sizes) {
    String whole = outcome(bytes, List.of(bytes.length));
    String inPieces = outcome(bytes, sizes);

    assertThat(inPieces).isEqualTo(whole);
  }

  @Property(tries = 500)
  void randomBytesCauseOnlyProtocolErrors(
      @ForAll("noise") byte[] bytes, @ForAll("sizes") List<Integer> sizes) {
    assertThat(outcome(bytes, sizes)).isEqualTo(outcome(bytes, List.of(bytes.length)));
  }

  @Provide
  Arbitrary<List<Integer>> sizes() {
    return Arbitraries.integers().between(1, 60).list().ofMinSize(1).ofMaxSize(8);
  }

  @Provide
  Arbitrary<byte[]> mutated() {
    return WireArbitraries.mutated(streams().map(Stream::bytes));
  }

  /** Frame headers that look right, with anything behind them. */
  @Provide
  Arbitrary<byte[]> noise() {
    return Combinators.combine(Arbitraries.of(1, 2, 3, 8), WireArbitraries.bytes(120))
        .as(
            (type, payload) -> {
              ByteBuf out = Unpooled.buffer();
              out.writeByte(type).writeShort(1).writeInt(payload.length);
              out.writeBytes(payload).writeByte(0xCE).writeBytes(payload);
              return ByteBufUtil.getBytes(out);
            });
  }

  /** All that a decoder says of some bytes, its last word included. */
  private static String outcome(byte[] bytes, List<Integer> sizes) {
    List<String> said = new ArrayList<>();
    Events events = new Events(true);
    try {
      decodeChunked(bytes, sizes, events);
    } catch (AmqpException e) {
      said.add(e.replyText());
    }
    said.addAll(events.lines);
    return String.join("\n", said);
  }

  private static Events decodeChunked(byte[] bytes, List<Integer> sizes) {
    Events events = new Events(true);
    int left = decodeChunked(bytes, sizes, events);
    assertThat(left).isZero();
    return events;
  }

  /**
   * Feeds a decoder chunk by chunk, each time with a buffer that ends exactly where the data does,
   * so that an over-read is an IndexOutOfBoundsException. Gives the bytes left unread.
   */
  private static int decodeChunked(byte[] bytes, List<Integer> sizes, Events events) {
    FrameDecoder decoder = new FrameDecoder(events, FRAME_MAX);
    int read = 0;
    int available = 0;
    for (int i = 0; available < bytes.length; i++) {
      available = Math.min(bytes.length, available + sizes.get(i % sizes.size()));
      ByteBuf in = Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, read, available));
      decoder.decode(in);
      read += in.readerIndex();
    }
    return bytes.length - read;
  }
}
