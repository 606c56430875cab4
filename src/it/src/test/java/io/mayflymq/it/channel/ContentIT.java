package io.mayflymq.it.channel;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.text;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.RawWriter.method;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Target;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests contents: split into frames and reassembled in both directions, byte for byte, up to the
 * maximum size.
 */
@BlackBox
@Isolated("it holds bodies of 128 MiB")
class ContentIT {
  private static final int LARGEST = 134_217_728;

  @Test
  @Timeout(60)
  void aBodyOfTheMaximumSizeArrives(Amqp amqp) throws Exception {
    byte[] body = new byte[LARGEST];
    new Random(1).nextBytes(body);
    String queue = amqp.queue();
    Channel channel = amqp.confirming();
    channel.basicPublish("", queue, PLAIN, body);
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    GetResponse got = channel.basicGet(queue, true);
    assertThat(Arrays.equals(got.getBody(), body)).isTrue();
  }

  @Test
  @Timeout(60)
  void aBodyOverTheMaximumSizeClosesTheChannel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - message size 134217729 is larger than configured max size 134217728",
        () -> channel.basicPublish("", queue, PLAIN, new byte[LARGEST + 1]));
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  @MayflyOnly("RabbitMQ waits for the body")
  void aHugeBodyIsRefusedAtItsContentHeader(Target target) throws Exception {
    for (long size : new long[] {LARGEST + 1L, Long.MAX_VALUE}) {
      try (RawClient client = RawClient.openChannel(target.port())) {
        client.sendPublish(1, "nowhere").sendHeader(1, size);
        client.expectChannelClose(1, 406);
      }
    }
  }

  @Test
  void aBodyCanArriveInManySmallFrames(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      String queue = declare(client);
      client.sendPublish(1, queue).sendHeader(1, 26);
      for (char deadLetter = 'a'; deadLetter <= 'z'; deadLetter++) {
        client.sendBody(1, (byte) deadLetter);
      }
      assertThat(get(client, queue, 131_064)).isEqualTo(bytes("abcdefghijklmnopqrstuvwxyz"));
    }
  }

  @Test
  void framesCanArriveByteByByte(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      String queue = declare(client);
      ByteArrayOutputStream stream = new ByteArrayOutputStream();
      for (String body : new String[] {"one", "", "three"}) {
        stream.write(
            RawClient.encode(
                RawFrame.METHOD,
                1,
                method(60, 40).uint16(0).shortString("").shortString(queue).uint8(0).toBytes()));
        stream.write(RawClient.encode(RawFrame.HEADER, 1, RawClient.header(60, body.length())));
        if (!body.isEmpty()) {
          stream.write(RawClient.encode(RawFrame.BODY, 1, bytes(body)));
        }
      }
      for (byte octet : stream.toByteArray()) {
        client.raw(octet);
      }
      assertThat(get(client, queue, 131_064)).isEqualTo(bytes("one"));
      assertThat(get(client, queue, 131_064)).isEmpty();
      assertThat(get(client, queue, 131_064)).isEqualTo(bytes("three"));
    }
  }

  @Test
  void contentsOfSeveralChannelsCanInterleave(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.channelOpen(2);
      String queue = declare(client);
      client.sendPublish(1, queue).sendPublish(2, queue);
      client.sendHeader(2, 4).sendHeader(1, 4);
      client.sendBody(1, bytes("on")).sendBody(2, bytes("tw"));
      client.sendBody(2, bytes("o2")).sendBody(1, bytes("e1"));
      client.assertAlive(3);
      // There is an order per channel, none between channels.
      assertThat(List.of(text(get(client, queue, 131_064)), text(get(client, queue, 131_064))))
          .containsExactlyInAnyOrder("one1", "two2");
    }
  }

  @Test
  void publishedBodiesAreSplitAtTheNegotiatedFrameSize(Target target) throws Exception {
    byte[] body = new byte[50_000];
    new Random(2).nextBytes(body);
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 4096, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
      String queue = declare(client);
      client.sendPublish(1, queue).sendHeader(1, body.length);
      for (int from = 0; from < body.length; from += 4088) {
        client.sendBody(1, Arrays.copyOfRange(body, from, Math.min(from + 4088, body.length)));
      }
      assertThat(get(client, queue, 4088)).isEqualTo(body);
    }
  }

  @Test
  void deliveredBodiesAreSplitAtTheNegotiatedFrameSize(Target target, Amqp amqp) throws Exception {
    byte[] body = new byte[300_000];
    new Random(3).nextBytes(body);
    String queue = amqp.queue();
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 8192, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
      client.method(
          1, method(60, 20).uint16(0).shortString(queue).shortString("").uint8(0b10).emptyTable());
      client.expect(60, 21);
      amqp.channel().basicPublish("", queue, PLAIN, body);
      client.expect(60, 60);
      assertThat(content(client, 8184)).isEqualTo(body);
    }
  }

  @Test
  void propertiesAreForwardedByteForByte(Target target) throws Exception {
    RawWriter headers =
        new RawWriter()
            .shortString("z unsigned byte")
            .uint8('B')
            .uint8(200)
            .shortString("a unsigned short")
            .uint8('u')
            .uint16(60_000)
            .shortString("unsigned int")
            .uint8('i')
            .uint32(4_000_000_000L)
            .shortString("bytes")
            .uint8('x')
            .longString("\0\1\2")
            .shortString("array")
            .uint8('A')
            .table(new RawWriter().uint8('V').uint8('t').uint8(7))
            .shortString("decimal")
            .uint8('D')
            .uint8(255)
            .uint32(7)
            .shortString("double")
            .uint8('d')
            .uint64(0x3ff8_0000_0000_1234L);
    byte[] properties =
        new RawWriter()
            .uint16(0b1110_0000_0000_0000)
            .shortString("text/plain")
            .shortString("encoding")
            .table(headers)
            .toBytes();
    assertKept(target, properties);
  }

  @Test
  @MayflyOnly("RabbitMQ knows no NaN and answers 541 INTERNAL_ERROR")
  void notANumberValuesAreForwardedByteForByte(Target target) throws Exception {
    RawWriter headers =
        new RawWriter()
            .shortString("double")
            .uint8('d')
            .uint64(0x7ff8_0000_0000_1234L)
            .shortString("float")
            .uint8('f')
            .uint32(0xff80_0000L);
    assertKept(target, new RawWriter().uint16(0b0010_0000_0000_0000).table(headers).toBytes());
  }

  @Test
  @MayflyOnly("RabbitMQ answers 541 INTERNAL_ERROR")
  void unknownPropertiesAreForwardedByteForByte(Target target) throws Exception {
    byte[] properties =
        new RawWriter()
            .uint16(0b1000_0000_0000_0001)
            .uint16(0b1000_0000_0000_0000)
            .shortString("text/plain")
            .shortString("a property of tomorrow")
            .toBytes();
    assertKept(target, properties);
  }

  private static void assertKept(Target target, byte[] properties) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      String queue = declare(client);
      client.sendPublish(1, queue);
      client.frame(
          RawFrame.HEADER,
          1,
          new RawWriter().uint16(60).uint16(0).uint64(1).raw(properties).toBytes());
      client.sendBody(1, (byte) 'x').sendGet(1, queue).expect(60, 71);
      byte[] header = client.read().payload();
      assertThat(Arrays.copyOfRange(header, 12, header.length)).isEqualTo(properties);
    }
  }

  /** A queue of this connection's alone. */
  private static String declare(RawClient client) throws Exception {
    client.method(1, method(50, 10).uint16(0).shortString("").uint8(0b0100).emptyTable());
    return RawFrame.shortString(client.expect(50, 11).arguments());
  }

  private static byte[] get(RawClient client, String queue, int largestPayload) throws Exception {
    long end = System.nanoTime() + SECONDS.toNanos(5);
    RawFrame answer = client.sendGet(1, queue).read();
    while (answer.isMethod(60, 72) && System.nanoTime() < end) {
      answer = client.sendGet(1, queue).read();
    }
    assertThat(answer.isMethod(60, 71)).as("get-ok rather than %s", answer).isTrue();
    return content(client, largestPayload);
  }

  private static byte[] content(RawClient client, int largestPayload) throws Exception {
    RawFrame header = client.read();
    assertThat(header.type()).isEqualTo(RawFrame.HEADER);
    long size = ByteBuffer.wrap(header.payload()).getLong(4);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (body.size() < size) {
      RawFrame frame = client.read();
      assertThat(frame.type()).isEqualTo(RawFrame.BODY);
      assertThat(frame.payload()).hasSizeLessThanOrEqualTo(largestPayload);
      body.write(frame.payload());
    }
    return body.toByteArray();
  }
}
