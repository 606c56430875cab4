package io.mayflymq.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.Sessions.NodeLimits;
import io.mayflymq.core.vhost.ObjectLimits;
import io.mayflymq.server.config.ProtocolSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The header of the PROXY protocol before a connection. */
class ProxyProtocolTest {
  private static final String SIGNATURE = "0D0A0D0A000D0A515549540A";
  private static final String V1 = "PROXY TCP4 203.0.113.7 198.51.100.1 56324 5672\r\n";

  /** PROXY, TCP over IPv4, 12 bytes: the same addresses and ports. */
  private static final String V2 =
      SIGNATURE + "21" + "11" + "000C" + "CB007107" + "C6336401" + "DC04" + "1628";

  private static final InetSocketAddress PROXY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);
  private static final InetSocketAddress BROKER =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 5672);

  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private boolean active;
  private final EmbeddedChannel channel = channel();

  /** Stands for the connection: keeps what it gets. */
  private final class Connection extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      active = true;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      received.writeBytes(
          bytes.toString(StandardCharsets.ISO_8859_1).getBytes(StandardCharsets.ISO_8859_1));
      bytes.release();
    }
  }

  private EmbeddedChannel channel() {
    EmbeddedChannel made =
        new EmbeddedChannel() {
          @Override
          protected SocketAddress remoteAddress0() {
            return PROXY;
          }

          @Override
          protected SocketAddress localAddress0() {
            return BROKER;
          }
        };
    ProtocolSettings settings =
        new ProtocolSettings(
            60, 0, 4096, 0, 1, 1, 1, 500, 0, NodeLimits.NONE, 1, ObjectLimits.NONE);
    ConnectionEnvironment environment =
        new ConnectionEnvironment(null, null, null, null, List.of(), () -> settings, null, null);
    ProxyProtocol.expect(made, environment, null, pipeline -> pipeline.addLast(new Connection()));
    made.freezeTime();
    made.pipeline().fireChannelActive();
    return made;
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void send(byte... bytes) {
    channel.writeInbound(Unpooled.copiedBuffer(bytes));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  static Stream<byte[]> headers() {
    return Stream.of(text(V1), hex(V2));
  }

  @ParameterizedTest
  @MethodSource("headers")
  void addressesComeFromTheHeaderAndTheRestIsPassedOn(byte[] header) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(header);
    all.writeBytes(text("AMQP"));
    send(all.toByteArray());
    assertThat(active).isTrue();
    assertThat(received.toString(StandardCharsets.ISO_8859_1)).isEqualTo("AMQP");
    assertThat(SocketPeer.client(channel)).isEqualTo(new InetSocketAddress("203.0.113.7", 56_324));
    assertThat(SocketPeer.server(channel)).isEqualTo(new InetSocketAddress("198.51.100.1", 5672));
    assertThat(ConnectionName.of(channel)).isEqualTo("203.0.113.7:56324 -> 198.51.100.1:5672");
    send(text("more"));
    assertThat(received.toString(StandardCharsets.ISO_8859_1)).isEqualTo("AMQPmore");
    assertThat(channel.pipeline().names()).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("headers")
  void headerMayArriveByteByByte(byte[] header) {
    for (byte each : header) {
      assertThat(active).isFalse();
      send(each);
    }
    assertThat(active).isTrue();
    assertThat(received.size()).isZero();
    assertThat(SocketPeer.client(channel).getPort()).isEqualTo(56_324);
  }

  @Test
  void addressesOfIpVersion6AreRead() {
    send(text("PROXY TCP6 2001:db8::7 2001:db8::1 1024 5671\r\n"));
    assertThat(SocketPeer.client(channel)).isEqualTo(new InetSocketAddress("2001:db8::7", 1024));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "50524F585920554E4B4E4F574E0D0A", // PROXY UNKNOWN
        SIGNATURE + "20" + "00" + "0000", // LOCAL
        SIGNATURE + "20" + "11" + "000C" + "CB007107" + "C6336401" + "DC04" + "1628",
      })
  void connectionOfTheProxyItselfHasTheAddressesOfTheSocket(String header) {
    send(hex(header));
    assertThat(active).isTrue();
    assertThat(SocketPeer.client(channel)).isEqualTo(PROXY);
    assertThat(SocketPeer.server(channel)).isEqualTo(BROKER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "414D515000000901", // the header of AMQP
        "1603010200010001FC0303", // TLS
        "41", // one byte is enough
        "50524F5859205443503420666F6F0D0A", // PROXY TCP4 foo
        "5052585859", // PRXXY
        SIGNATURE + "31" + "11" + "000C" + "CB007107C6336401DC041628", // version 3
      })
  void connectionWithoutAValidHeaderIsClosed(String begin) {
    send(hex(begin));
    assertThat(channel.isOpen()).isFalse();
    assertThat(active).isFalse();
    assertThat(received.size()).isZero();
  }

  @Test
  void connectionIsClosedIfTheHeaderIsNotCompleteInTime() {
    send(text("PROXY TCP4 203"));
    channel.advanceTimeBy(499, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    channel.advanceTimeBy(2, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void timeForTheHeaderEndsWithIt() {
    send(text(V1));
    channel.advanceTimeBy(1, TimeUnit.MINUTES);
    channel.runScheduledPendingTasks();
    assertThat(channel.isOpen()).isTrue();
  }
}
