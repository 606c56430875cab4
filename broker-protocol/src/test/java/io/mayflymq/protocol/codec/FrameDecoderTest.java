package io.mayflymq.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.ChannelMethod;
import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameDecoderTest {
  private static final String PUBLISH =
      "01 0001 00000010 003c 0028 0000 0365786d 0472 6b6579 01 ce";
  private static final String HEADER = "02 0001 0000000f 003c 0000 0000000000000002 1000 02 ce";
  private static final String BODY = "03 0001 00000002 6869 ce";

  private final Events events = new Events(false);

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  private List<String> decode(String hex) {
    return decode(bytes(hex), 4096);
  }

  private List<String> decode(ByteBuf in, int frameMax) {
    new FrameDecoder(events, frameMax).decode(in);
    assertThat(in.isReadable()).isFalse();
    return events.lines;
  }

  @Test
  void wholeMessageIsDecodedInOneCall() {
    assertThat(decode(PUBLISH + HEADER + BODY))
        .containsExactly("1 message exm rkey mandatory 100002 6869");
  }

  @Test
  void wholeMessagesCanBeDecodedFrameByFrame() {
    FrameDecoder decoder = new FrameDecoder(events, 4096);
    decoder.setWholeMessages(false);
    decoder.decode(bytes(PUBLISH + HEADER + BODY));
    assertThat(events.lines).hasSize(3);
    assertThat(events.lines.get(1)).isEqualTo("1 header 60 2 100002");
    decoder.setWholeMessages(true);
    decoder.decode(bytes(PUBLISH + HEADER + BODY));
    assertThat(events.lines).hasSize(4);
  }

  @Test
  void messageWithoutABodyIsDecodedInOneCall() {
    assertThat(
            decode(
                PUBLISH
                    + "02 0001 0000000e 003c 0000 0000000000000000 0000 ce"
                    + "08 0000 00000000 ce"))
        .containsExactly("1 message exm rkey mandatory 0000 ", "0 heartbeat");
  }

  @ParameterizedTest
  @CsvSource({
    "another channel, 02 0002 0000000f 003c 0000 0000000000000002 1000 02 ce",
    "another class, 02 0001 0000000f 0032 0000 0000000000000002 1000 02 ce",
    "body in two frames, 02 0001 0000000f 003c 0000 0000000000000004 1000 02 ce",
    "no flags, 02 0001 0000000c 003c 0000 0000000000000002 ce",
  })
  void contentOutsideTheFastPathIsDecodedFrameByFrame(String what, String header) {
    List<String> lines = decode(PUBLISH + header + BODY);

    assertThat(lines).as(what).hasSize(3);
    assertThat(lines.get(0)).startsWith("1 Publish[exchange=exm, routingKey=rkey, mandatory=true");
    assertThat(lines.get(1)).contains(" header ");
    assertThat(lines.get(2)).isEqualTo("1 body 6869");
  }

  @Test
  void methodBetweenPublishAndHeaderIsDecodedInOrder() {
    assertThat(decode(PUBLISH + PUBLISH + HEADER + BODY)).hasSize(2);
  }

  @Test
  void ackIsDecoded() {
    assertThat(decode("01 0007 0000000d 003c 0050 ffffffffffffffff 01 ce"))
        .containsExactly("7 Ack[deliveryTag=-1, multiple=true]");
  }

  @Test
  void otherMethodsAreDecoded() {
    assertThat(decode("01 0007 00000005 0014 0014 01 ce"))
        .containsExactly("7 " + new ChannelMethod.Flow(true));
  }

  @Test
  void incompleteFrameIsNotRead() {
    ByteBuf in = bytes("08 0000 00000000 ce" + "01 0007 00000005 0014 0014 01");

    new FrameDecoder(events, 4096).decode(in);

    assertThat(events.lines).containsExactly("0 heartbeat");
    assertThat(in.readerIndex()).isEqualTo(8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "01 0001 00000005 0014 0014 01 cd"
            + "| type 1, all octets = <<0,20,0,20,1>>: {invalid_frame_end_marker,205}",
        "03 0001 00000011 0102030405060708090a0b0c0d0e0f1011 00"
            + "| type 3, first 16 octets = <<1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16>>:"
            + " {invalid_frame_end_marker,0}",
        "03 0001 00001001 | type 3, all octets = <<>>: {frame_too_large,4097,4088}",
        "03 0001 ffffffff | type 3, all octets = <<>>: {frame_too_large,4294967295,4088}",
        "04 0001 00000001 | type 4: unknown_frame",
        "00 0001 00000001 | type 0: unknown_frame",
        "09 0001 00000001 | type 9: unknown_frame",
        "01 0001 00000003 003c00 ce | type 1, all octets = <<0,60,0>>: unknown_frame",
        "02 0001 00000002 003c ce | type 2, all octets = <<0,60>>: unknown_frame",
        "08 0000 00000001 00 ce | type 8, all octets = <<0>>: unknown_frame",
        "01 0001 00000008 003c 0028 00000000 ce | cannot decode <<0,0,0,0>>",
        "01 0001 0000000c 003c 0050 0000000000000001 ce | cannot decode <<0,0,0,0,0,0,0,1>>",
        "02 0001 0000000e 003c 0000 8000000000000000 0000 ce"
            + "| content body size 9223372036854775808 exceeds maximum allowed size"
            + " 9223372036854775807",
      })
  void malformedFrameIsAFrameError(String hex, String detail) {
    assertThatThrownBy(() -> decode(hex))
        .hasMessage("FRAME_ERROR - " + detail)
        .isInstanceOf(ConnectionException.class);
    assertThat(events.lines).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "08 0001 00000000 ce | type 8, all octets = <<>>",
        "02 0000 0000000e 003c 0000 0000000000000000 0000 ce"
            + "| type 2, all octets = <<0,60,0,0,0,0,0,0,0,0,0,0,0,0>>",
        "03 0000 00000001 68 ce | type 3, all octets = <<104>>",
        "02 0001 0000000e 003c 0001 0000000000000000 0000 ce"
            + "| expected content header for class 60, got non content header frame instead",
      })
  void frameOutOfSequenceIsAnUnexpectedFrameError(String hex, String detail) {
    assertThatThrownBy(() -> decode(hex)).hasMessage("UNEXPECTED_FRAME - " + detail);
    assertThat(events.lines).isEmpty();
  }

  @Test
  void bodySizeOfAllOnesIsNotMistakenForAMissingFrame() {
    String header = HEADER.replaceFirst("003c 0000 [0-9a-f]{16}", "003c 0000 ffffffffffffffff");

    assertThat(header).isNotEqualTo(HEADER);
    assertThatThrownBy(() -> decode(PUBLISH + header))
        .isInstanceOfSatisfying(
            ConnectionException.class, e -> assertThat(e.code()).isEqualTo(ReplyCode.FRAME_ERROR));
  }

  @Test
  void contentOnChannel0IsRefusedAfterAPublish() {
    String publish = PUBLISH.replaceFirst("01 0001", "01 0000");
    String header = HEADER.replaceFirst("02 0001", "02 0000");

    assertThatThrownBy(() -> decode(publish + header + BODY))
        .isInstanceOfSatisfying(
            ConnectionException.class,
            e -> assertThat(e.code()).isEqualTo(ReplyCode.UNEXPECTED_FRAME));
  }

  @Test
  void frameOfTheNegotiatedSizeIsAccepted() {
    ByteBuf in = Unpooled.buffer();
    FrameEncoder.bodyFrame(in, 1, new byte[4088], 0, 4088);

    assertThat(in.readableBytes()).isEqualTo(4096);
    assertThat(decode(in, 4096)).hasSize(1);
  }

  @Test
  void frameMaxZeroIsNoLimit() {
    ByteBuf in = Unpooled.buffer();
    FrameEncoder.bodyFrame(in, 1, new byte[1_000_000], 0, 1_000_000);
    assertThat(decode(in, 0)).hasSize(1);

    // A size beyond any buffer is refused rather than waited for.
    assertThatThrownBy(() -> decode(bytes("03 0001 7ffffff8"), 0))
        .hasMessageContaining("frame_too_large");
    new FrameDecoder(events, 0).decode(bytes("03 0001 7ffffff7"));
  }

  @Test
  void frameMaxAppliesToTheFramesOfAWholeMessage() {
    ByteBuf in = Unpooled.buffer();
    FrameEncoder.method(in, 1, new BasicMethod.Publish("", "", false, false));
    FrameEncoder.contentHeader(in, 1, new byte[2], 2, 200);
    FrameEncoder.bodyFrame(in, 1, new byte[200], 0, 200);

    assertThatThrownBy(() -> decode(in, 192)).hasMessageContaining("{frame_too_large,200,184}");
    assertThat(events.lines).hasSize(2);
  }

  @Test
  void frameMaxMayChangeWithinACallback() {
    ByteBuf in = Unpooled.buffer();
    FrameEncoder.method(in, 0, new ConnectionMethod.TuneOk(0, 100_000, 0));
    FrameEncoder.bodyFrame(in, 1, new byte[5000], 0, 5000);
    FrameDecoder[] decoder = new FrameDecoder[1];
    Relay handler =
        new Relay(events) {
          @Override
          public void onMethod(int channel, Method method) {
            super.onMethod(channel, method);
            decoder[0].setFrameMax(100_000);
          }
        };
    decoder[0] = new FrameDecoder(handler, 4096);

    decoder[0].decode(in);

    assertThat(events.lines).hasSize(2);
  }

  /** Frames that may not come before what suspends; the last one is what may, but incomplete. */
  @ParameterizedTest
  @CsvSource({
    "01 0002 0000000d 0032 000a 0000 0171 12 00000000 ce, another channel",
    "01 0001 0000000d 0032 000a 0000 0171 02 00000000 ce, an answer is wanted",
    "01 0001 0000000d 0032 000a 0000 0171 13 00000000 ce, passive",
    "01 0001 0000000d 0032 000a 0000 0171 16 00000000 ce, exclusive",
    "01 0001 0000000d 0032 0014 0000 0171 12 00000000 ce, queue.bind",
    "01 0001 0000000d 0032 000a 0000 ff71 12 00000000 ce, a name beyond the frame",
    "01 0001 0000000d 0032 000a 0000 0171 12 00000000 00, a wrong end",
    "08 0000 00000000 ce, a heartbeat",
    "01 0001 0000000d 0032 000a 0000 0171 12 00000000, incomplete",
  })
  void onlyDeclarationsWithoutAnswerAreTakenWhileSuspended(String other, String what) {
    FrameDecoder decoder =
        new FrameDecoder(
            new Relay(events) {
              @Override
              public boolean isSuspended() {
                return true;
              }

              @Override
              public int channelOfDeclares() {
                return 1;
              }
            },
            4096);
    String declare = "01 0001 0000000d 0032 000a 0000 0171 12 00000000 ce";
    ByteBuf in = bytes(declare + declare + other);
    decoder.decode(in);
    assertThat(events.lines).hasSize(2);
    assertThat(in.readableBytes()).as(what).isEqualTo(bytes(other).readableBytes());
  }

  @Test
  void decoderStopsWhenSuspendedAndContinuesLater() {
    ByteBuf in = bytes(PUBLISH + HEADER + BODY + PUBLISH + HEADER + BODY);
    boolean[] suspended = {true};
    Relay handler =
        new Relay(events) {
          @Override
          public boolean isSuspended() {
            return suspended[0] || events.lines.size() == 1;
          }
        };
    FrameDecoder decoder = new FrameDecoder(handler, 4096);

    decoder.decode(in);
    assertThat(events.lines).isEmpty();
    suspended[0] = false;
    decoder.decode(in);
    assertThat(events.lines).hasSize(1);
    assertThat(in.isReadable()).isTrue();
    events.lines.add("resumed");
    decoder.decode(in);
    assertThat(events.lines).hasSize(3);
    assertThat(in.isReadable()).isFalse();
  }

  @Test
  void decoderContinuesAfterAFrameWhoseHandlerFailed() {
    ByteBuf in = bytes(PUBLISH + HEADER + BODY + "08 0000 00000000 ce");
    Relay handler =
        new Relay(events) {
          @Override
          public void onMessage(int channel, BufferedMessage message) {
            throw new ChannelException(ReplyCode.NOT_FOUND, "no exchange");
          }
        };
    FrameDecoder decoder = new FrameDecoder(handler, 4096);

    assertThatThrownBy(() -> decoder.decode(in)).isInstanceOf(ChannelException.class);
    decoder.decode(in);

    assertThat(events.lines).containsExactly("0 heartbeat");
  }

  @Test
  void repeatedNamesAreTheSameObjects() {
    List<ShortString> names = new ArrayList<>();
    Relay handler =
        new Relay(events) {
          @Override
          public void onPublish(
              int channel,
              ShortString exchange,
              ShortString routingKey,
              boolean mandatory,
              boolean immediate) {
            names.add(exchange);
            names.add(routingKey);
          }
        };

    new FrameDecoder(handler, 4096).decode(bytes(PUBLISH + PUBLISH));

    assertThat(names.get(0)).isEqualTo(ShortString.of("exm")).isSameAs(names.get(2));
    assertThat(names.get(1)).isEqualTo(ShortString.of("rkey")).isSameAs(names.get(3));
  }

  @Test
  void frameMaxMustHoldAFrame() {
    assertThatThrownBy(() -> new FrameDecoder(events, 7))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FrameDecoder(events, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
