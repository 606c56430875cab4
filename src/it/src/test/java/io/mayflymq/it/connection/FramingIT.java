package io.mayflymq.it.connection;

import static io.mayflymq.it.harness.RawFrame.BODY;
import static io.mayflymq.it.harness.RawFrame.HEADER;
import static io.mayflymq.it.harness.RawFrame.HEARTBEAT;
import static io.mayflymq.it.harness.RawFrame.METHOD;
import static io.mayflymq.it.harness.RawWriter.method;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests malformed input: each kind closes its own connection with the right code and no other. A
 * second client connects before every test, and is checked after it.
 */
@BlackBox
class FramingIT {
  private static final int FRAME_MAX = 131_072;

  private RawClient bystander;
  private RawClient client;

  @BeforeEach
  void connect(Target target) throws IOException {
    bystander = RawClient.openChannel(target.port());
    client = RawClient.openChannel(target.port());
  }

  @AfterEach
  void nobodyElseIsHurt() throws IOException {
    client.close();
    bystander.assertAlive(2);
    bystander.close();
  }

  @Test
  void aWrongFrameEndIsAFrameError() throws Exception {
    byte[] frame = RawClient.encode(METHOD, 2, method(20, 10).shortString("").toBytes());
    frame[frame.length - 1] = 0;
    client.raw(frame).expectConnectionClose(501);
  }

  @Test
  void aFrameOverTheNegotiatedSizeIsAFrameError() throws Exception {
    client.sendPublish(1, "nowhere").sendHeader(1, 1_000_000);
    // What follows the head of such a frame need not come for the broker to refuse it.
    client.raw(new RawWriter().uint8(BODY).uint16(1).uint32(FRAME_MAX + 1).toBytes());
    client.raw(new byte[100]).expectConnectionClose(501);
  }

  @Test
  void aFrameOfFourGigabytesIsRefusedAtItsHeader() throws Exception {
    client
        .raw(new RawWriter().uint8(METHOD).uint16(1).uint32(0xffff_ffffL).toBytes())
        .raw(new byte[10])
        .expectConnectionClose(501);
  }

  @Test
  void theLargestFrameIsAccepted() throws Exception {
    client.queueDeclare(1, "");
    client.sendPublish(1, "").sendHeader(1, FRAME_MAX - 8);
    client.sendBody(1, new byte[FRAME_MAX - 8]).assertAlive(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4, 5, 7, 9, 206, 255})
  void anUnknownFrameTypeIsAFrameError(int type) throws Exception {
    client.frame(type, 1, new byte[3]).expectConnectionClose(501);
  }

  @ParameterizedTest
  @CsvSource({"99, 1", "60, 99", "20, 60", "10, 99", "0, 0", "65535, 65535"})
  @MayflyOnly("RabbitMQ drops the connection without a word")
  void anUnknownMethodIsAnInvalidCommand(int classId, int methodId) throws Exception {
    int channel = classId == 10 ? 0 : 1;
    client.method(channel, method(classId, methodId)).expectConnectionClose(503);
  }

  @Test
  void aMethodFrameWithoutAMethodIsAFrameError() throws Exception {
    client.frame(METHOD, 1, new byte[2]).expectConnectionClose(501);
  }

  @Test
  void truncatedMethodArgumentsAreAnError() throws Exception {
    client
        .method(1, method(50, 10).uint16(0).uint8(32).raw((byte) 'a', (byte) 'b'))
        .expectConnectionClose(501);
  }

  @Test
  void trailingBytesAfterMethodArgumentsAreAnError() throws Exception {
    client
        .method(1, method(60, 70).uint16(0).shortString("q").uint8(1).uint32(7))
        .expectConnectionClose(501);
  }

  @Test
  void aTableLongerThanItsFrameIsAnError() throws Exception {
    client.method(1, declare().uint32(1000).raw((byte) 1, (byte) 'a')).expectConnectionClose(501);
  }

  @Test
  @MayflyOnly("RabbitMQ drops the connection without a word")
  void aStringLongerThanItsTableIsASyntaxError() throws Exception {
    table(new RawWriter().shortString("a").uint8('S').uint32(9999).uint8('x'));
  }

  @Test
  @MayflyOnly("RabbitMQ drops the connection without a word")
  void anArrayLongerThanItsTableIsASyntaxError() throws Exception {
    table(new RawWriter().shortString("a").uint8('A').uint32(50).uint8('I').uint32(1));
  }

  @Test
  @MayflyOnly("RabbitMQ drops the connection without a word")
  void anInnerTableLongerThanItsTableIsASyntaxError() throws Exception {
    table(new RawWriter().shortString("a").uint8('F').uint32(50).shortString("b").uint8('V'));
  }

  @Test
  @MayflyOnly("RabbitMQ drops the connection without a word")
  void anUnknownFieldTypeIsASyntaxError() throws Exception {
    table(new RawWriter().shortString("a").uint8('Z').uint8(1));
  }

  @Test
  @MayflyOnly("RabbitMQ drops the connection without a word")
  void aNameLongerThanItsTableIsASyntaxError() throws Exception {
    table(new RawWriter().uint8(200).uint8('a'));
  }

  private void table(RawWriter content) throws IOException {
    client.method(1, declare().table(content)).expectConnectionClose(502);
  }

  @Test
  void badUtf8InAShortStringIsAnError() throws Exception {
    client
        .method(
            1,
            method(50, 10).uint16(0).uint8(2).raw((byte) 0xff, (byte) 0xfe).uint8(0).emptyTable())
        .expectConnectionClose(501);
  }

  @Test
  @MayflyOnly("RabbitMQ answers 541 INTERNAL_ERROR")
  void aTruncatedPropertyListIsASyntaxError() throws Exception {
    client.sendPublish(1, "nowhere");
    client
        .frame(HEADER, 1, header().uint16(0x8000).uint8(32).uint8('a').toBytes())
        .expectConnectionClose(502);
  }

  @Test
  @MayflyOnly("RabbitMQ answers 541 INTERNAL_ERROR")
  void aHeadersTableWithAWrongLengthIsASyntaxError() throws Exception {
    client.sendPublish(1, "nowhere");
    client
        .frame(HEADER, 1, header().uint16(0x2000).uint32(500).uint16(7).toBytes())
        .expectConnectionClose(502);
  }

  @Test
  void aContentHeaderThatIsTooShortIsAFrameError() throws Exception {
    client.sendPublish(1, "nowhere");
    client.frame(HEADER, 1, new byte[] {0, 60}).expectConnectionClose(501);
  }

  @Test
  void aHeartbeatBelongsToChannelZero() throws Exception {
    client.frame(HEARTBEAT, 1).expectConnectionClose(505);
  }

  @Test
  void aHeartbeatIsEmpty() throws Exception {
    client.frame(HEARTBEAT, 0, new byte[3]).expectConnectionClose(501);
  }

  @Test
  void aBodyBeforeItsHeaderIsUnexpected() throws Exception {
    client.sendPublish(1, "nowhere");
    assertThat(client.sendBody(1, new byte[3]).expectConnectionClose(505))
        .returns(60, RawFrame.Close::classId)
        .returns(40, RawFrame.Close::methodId)
        .returns(
            "UNEXPECTED_FRAME - expected content header for class 60, got non content header frame"
                + " instead",
            RawFrame.Close::text);
  }

  @Test
  void aMethodBeforeTheHeaderIsUnexpected() throws Exception {
    client.sendPublish(1, "nowhere").sendChannelClose(1).expectConnectionClose(505);
  }

  @Test
  void aHeaderWithoutAMethodIsUnexpected() throws Exception {
    assertThat(client.sendHeader(1, 3).expectConnectionClose(505).text())
        .isEqualTo("UNEXPECTED_FRAME - expected method frame, got non method frame instead");
  }

  @Test
  void aBodyWithoutAMethodIsUnexpected() throws Exception {
    client.sendBody(1, new byte[3]).expectConnectionClose(505);
  }

  @Test
  void aMethodInsideTheContentIsUnexpected() throws Exception {
    client.sendPublish(1, "nowhere").sendHeader(1, 3);
    assertThat(client.sendChannelClose(1).expectConnectionClose(505).text())
        .isEqualTo("UNEXPECTED_FRAME - expected content body, got non content body frame instead");
  }

  @Test
  void aSecondHeaderIsUnexpected() throws Exception {
    client.sendPublish(1, "nowhere").sendHeader(1, 3).sendHeader(1, 3).expectConnectionClose(505);
  }

  @Test
  void aHeaderOfAnotherClassIsUnexpected() throws Exception {
    client.sendPublish(1, "nowhere");
    assertThat(client.frame(HEADER, 1, RawClient.header(50, 3)).expectConnectionClose(505).text())
        .isEqualTo(
            "UNEXPECTED_FRAME - expected content header for class 60, got one for class 50"
                + " instead");
  }

  @Test
  @MayflyOnly("RabbitMQ takes it")
  void aBodyLongerThanAnnouncedIsUnexpected() throws Exception {
    client
        .sendPublish(1, "nowhere")
        .sendHeader(1, 3)
        .sendBody(1, new byte[6])
        .expectConnectionClose(501, 505);
  }

  @Test
  void answersOfTheServerAreInvalidFromAClient() throws Exception {
    client
        .method(1, method(50, 11).shortString("q").uint32(0).uint32(0))
        .expectConnectionClose(503);
  }

  @Test
  void connectionMethodsBelongToChannelZero() throws Exception {
    client
        .method(1, method(10, 50).uint16(200).shortString("").uint16(0).uint16(0))
        .expectConnectionClose(503, 504);
  }

  @Test
  void otherMethodsDoNotBelongToChannelZero() throws Exception {
    assertThat(
            client
                .method(0, method(60, 70).uint16(0).shortString("q").uint8(1))
                .expectConnectionClose(504))
        .returns(
            "CHANNEL_ERROR - unexpected method in connection state running", RawFrame.Close::text)
        .returns(60, RawFrame.Close::classId)
        .returns(70, RawFrame.Close::methodId);
  }

  @Test
  void methodsOfTheHandshakeDoNotBelongToAnOpenConnection() throws Exception {
    assertThat(client.sendOpen("/").expectConnectionClose(504))
        .returns(
            "CHANNEL_ERROR - unexpected method in connection state running", RawFrame.Close::text)
        .returns(10, RawFrame.Close::classId)
        .returns(40, RawFrame.Close::methodId);
  }

  @Test
  void anUnopenedChannelIsAChannelError() throws Exception {
    assertThat(client.sendGet(7, "q").expectConnectionClose(504))
        .returns("CHANNEL_ERROR - expected 'channel.open'", RawFrame.Close::text)
        .returns(60, RawFrame.Close::classId)
        .returns(70, RawFrame.Close::methodId);
  }

  @Test
  void aPublishOnAnUnopenedChannelIsAChannelError() throws Exception {
    client.sendPublish(7, "q").sendHeader(7, 1).sendBody(7, new byte[1]).expectConnectionClose(504);
  }

  @Test
  void aClosedChannelIsAChannelError() throws Exception {
    client.sendChannelClose(1).expect(20, 41);
    client.sendGet(1, "q").expectConnectionClose(504);
  }

  @Test
  void openingTwiceIsAChannelError() throws Exception {
    assertThat(client.sendChannelOpen(1).expectConnectionClose(504).text())
        .isEqualTo("CHANNEL_ERROR - second 'channel.open' seen");
  }

  @Test
  void openingChannelZeroIsAnError() throws Exception {
    client.sendChannelOpen(0).expectConnectionClose(504);
  }

  @Test
  void channelFlowInactiveIsNotImplemented() throws Exception {
    assertThat(client.method(1, method(20, 20).uint8(0)).expectConnectionClose(540).text())
        .isEqualTo("NOT_IMPLEMENTED - active=false");
  }

  @Test
  void recoveringWithoutRequeueIsNotImplemented() throws Exception {
    assertThat(client.method(1, method(60, 110).uint8(0)).expectConnectionClose(540).text())
        .isEqualTo("NOT_IMPLEMENTED - requeue=false");
  }

  @Test
  void randomBytesEndTheConnection() throws Exception {
    byte[] noise = new byte[10_000];
    new Random(42).nextBytes(noise);
    noise[0] = 77;
    client.raw(noise).expectConnectionClose(501);
  }

  /** queue.declare up to its arguments. */
  private static RawWriter declare() {
    return method(50, 10).uint16(0).shortString("").uint8(0b0000_0100);
  }

  /** A content header of class 60 up to the property flags. */
  private static RawWriter header() {
    return new RawWriter().uint16(60).uint16(0).uint64(0);
  }
}
