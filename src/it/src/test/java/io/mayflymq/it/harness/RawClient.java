package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/**
 * A client without manners: it writes whatever frames a test wants, and checks what comes back. It
 * shares no code with the broker, so a mistake in the broker's codec cannot hide here.
 *
 * <p>Reads fail after ten seconds. Not thread-safe.
 */
public final class RawClient implements AutoCloseable {
  private static final byte[] PROTOCOL_HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

  private final Socket socket;
  private final DataInputStream in;

  public RawClient(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** A client on a socket that is connected, such as one with TLS. */
  public RawClient(Socket connected) throws IOException {
    socket = connected;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(Patience.MILLIS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  /** A client that is connected to {@code /} as guest, with no heartbeat, and has no channel. */
  public static RawClient open(int port) throws IOException {
    RawClient client = new RawClient(port);
    client.tune(2047, 131072, 0);
    client.openVirtualHost("/");
    return client;
  }

  /** The same, with channel 1. */
  public static RawClient openChannel(int port) throws IOException {
    RawClient client = open(port);
    client.channelOpen(1);
    return client;
  }

  /** Its port, by which the broker's log names it. */
  public int localPort() {
    return socket.getLocalPort();
  }

  /** Sends bytes as they are. */
  public RawClient raw(byte... bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Sends a well-formed frame around any payload. */
  public RawClient frame(int type, int channel, byte... payload) throws IOException {
    return raw(encode(type, channel, payload));
  }

  public static byte[] encode(int type, int channel, byte... payload) {
    return new RawWriter()
        .uint8(type)
        .uint16(channel)
        .uint32(payload.length)
        .raw(payload)
        .uint8(RawFrame.END)
        .toBytes();
  }

  public RawClient method(int channel, RawWriter method) throws IOException {
    return frame(RawFrame.METHOD, channel, method.toBytes());
  }

  /** The next frame; fails at the end of the stream. */
  public RawFrame read() throws IOException {
    int type = in.readUnsignedByte();
    int channel = in.readUnsignedShort();
    byte[] payload = new byte[in.readInt()];
    in.readFully(payload);
    assertThat(in.readUnsignedByte()).as("frame end").isEqualTo(RawFrame.END);
    return new RawFrame(type, channel, payload);
  }

  /** Reads past heartbeats to the next frame, which must be this method. */
  public RawFrame expect(int classId, int methodId) throws IOException {
    RawFrame frame = read();
    while (frame.type() == RawFrame.HEARTBEAT) {
      frame = read();
    }
    assertThat(frame)
        .as("method %d.%d", classId, methodId)
        .matches(
            f -> f.isMethod(classId, methodId),
            "is this method" + (frame.type() == RawFrame.METHOD ? explain(frame) : ""));
    return frame;
  }

  private static String explain(RawFrame frame) {
    boolean close = frame.isMethod(10, 50) || frame.isMethod(20, 40);
    return close ? ", but the broker closes: " + frame.close() : "";
  }

  /** Everything that still comes until the broker closes the socket. */
  public byte[] readToEnd() throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    try {
      in.transferTo(rest);
    } catch (SocketException e) {
      // A reset is an end too: the broker had unread input when it closed.
      assertThat(e).hasMessageContaining("reset");
    }
    return rest.toByteArray();
  }

  /** Checks that the broker closes the connection with one of these codes; awaits the end. */
  public RawFrame.Close expectConnectionClose(Integer... codes) throws IOException {
    RawFrame.Close close = expect(10, 50).close();
    assertThat(close.code()).as("reply code (%s)", close.text()).isIn((Object[]) codes);
    assertThat(close.channel()).isZero();
    method(0, RawWriter.method(10, 51));
    expectEnd();
    return close;
  }

  /**
   * Checks that the broker gives up on a client that is not connected yet: it may say why, with one
   * of these codes, or just close, as the specification asks of it before the handshake is done.
   */
  public void expectRefusal(Integer... codes) throws IOException {
    try {
      RawFrame frame = read();
      assertThat(frame).matches(f -> f.isMethod(10, 50), "is connection.close");
      assertThat(frame.close().code()).isIn((Object[]) codes);
      method(0, RawWriter.method(10, 51));
    } catch (EOFException | SocketException e) {
      assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
      return;
    }
    expectEnd();
  }

  /** Returns whether nothing comes for so long, not even the end. */
  public boolean isSilentFor(int millis) throws IOException {
    int before = socket.getSoTimeout();
    socket.setSoTimeout(millis);
    try {
      in.read();
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(before);
    }
  }

  /** Says that nothing more will be sent, and checks that the broker closes its side too. */
  public void finish() throws IOException {
    socket.shutdownOutput();
    expectEnd();
  }

  /** Checks that the broker closes the socket and sends nothing before. */
  public void expectEnd() throws IOException {
    assertThat(readToEnd()).isEmpty();
  }

  /** Checks that the broker closes this channel only, answers, and can open it again. */
  public RawFrame.Close expectChannelClose(int channel, int code) throws IOException {
    RawFrame.Close close = expect(20, 40).close();
    assertThat(close.code()).as("reply code (%s)", close.text()).isEqualTo(code);
    assertThat(close.channel()).isEqualTo(channel);
    method(channel, RawWriter.method(20, 41));
    channelOpen(channel);
    return close;
  }

  /** Sends the header and reads connection.start. */
  public RawFrame start() throws IOException {
    raw(PROTOCOL_HEADER);
    return expect(10, 10);
  }

  /** Sends connection.start-ok with any mechanism, response and client properties. */
  public RawClient startOk(String mechanism, String response, RawWriter properties)
      throws IOException {
    return method(
        0,
        RawWriter.method(10, 11)
            .table(properties)
            .shortString(mechanism)
            .longString(response)
            .shortString("en_US"));
  }

  /** Logs in as guest and reads connection.tune. */
  public RawFrame login() throws IOException {
    start();
    startOk("PLAIN", "\0guest\0guest", new RawWriter());
    return expect(10, 30);
  }

  /** Logs in and answers the broker's tune with these limits. */
  public void tune(int channelMax, int frameMax, int heartbeat) throws IOException {
    login();
    tuneOk(channelMax, frameMax, heartbeat);
  }

  public RawClient tuneOk(int channelMax, int frameMax, int heartbeat) throws IOException {
    return method(
        0, RawWriter.method(10, 31).uint16(channelMax).uint32(frameMax).uint16(heartbeat));
  }

  public RawClient sendOpen(String virtualHost) throws IOException {
    return method(0, RawWriter.method(10, 40).shortString(virtualHost).shortString("").uint8(0));
  }

  public void openVirtualHost(String virtualHost) throws IOException {
    sendOpen(virtualHost);
    expect(10, 41);
  }

  public RawClient sendChannelOpen(int channel) throws IOException {
    return method(channel, RawWriter.method(20, 10).shortString(""));
  }

  public void channelOpen(int channel) throws IOException {
    sendChannelOpen(channel);
    expect(20, 11);
  }

  /** A transient queue that goes with the connection. */
  public void queueDeclare(int channel, String name) throws IOException {
    method(
        channel,
        RawWriter.method(50, 10).uint16(0).shortString(name).uint8(0b0000_0100).emptyTable());
    expect(50, 11);
  }

  /** basic.publish to the default exchange, without header and body. */
  public RawClient sendPublish(int channel, String queue) throws IOException {
    return method(
        channel, RawWriter.method(60, 40).uint16(0).shortString("").shortString(queue).uint8(0));
  }

  /** A content header without properties. */
  public static byte[] header(int classId, long bodySize) {
    return new RawWriter().uint16(classId).uint16(0).uint64(bodySize).uint16(0).toBytes();
  }

  public RawClient sendHeader(int channel, long bodySize) throws IOException {
    return frame(RawFrame.HEADER, channel, header(60, bodySize));
  }

  public RawClient sendBody(int channel, byte... body) throws IOException {
    return frame(RawFrame.BODY, channel, body);
  }

  /** basic.get without acknowledgement. */
  public RawClient sendGet(int channel, String queue) throws IOException {
    return method(channel, RawWriter.method(60, 70).uint16(0).shortString(queue).uint8(1));
  }

  /** Proves that the connection still works, by opening and closing a channel that is not open. */
  public void assertAlive(int freeChannel) throws IOException {
    channelOpen(freeChannel);
    sendChannelClose(freeChannel);
    expect(20, 41);
  }

  public RawClient sendChannelClose(int channel) throws IOException {
    return method(
        channel, RawWriter.method(20, 40).uint16(200).shortString("").uint16(0).uint16(0));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
