package io.mayflymq.server.cluster.transport;

import static io.mayflymq.server.cluster.transport.TransportRig.call;
import static io.mayflymq.server.cluster.transport.TransportRig.failure;
import static io.mayflymq.server.cluster.transport.TransportRig.failureOfCall;
import static io.mayflymq.server.cluster.transport.TransportRig.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.cluster.transport.TransportRig.Node;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What others send who do not know the secret, or are not there any more. */
class HostilePeerTest {
  private static final int HEADER = 7;

  private final TransportRig rig = new TransportRig();

  @AfterEach
  void close() {
    rig.close();
  }

  private static Socket connect(NodeTransport node) throws IOException {
    Socket socket = new Socket();
    socket.connect(node.address());
    return socket;
  }

  private static InetSocketAddress loopback(int port) throws IOException {
    return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
  }

  private static ServerSocket listen() throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.bind(loopback(0));
    return listener;
  }

  /** Reads a message of the handshake, with its header. */
  /** Lets both sides of a handshake hear each other. */
  private static void relayHandshake(Socket caller, Socket listener) throws IOException {
    for (int i = 0; i < 2; i++) {
      listener.getOutputStream().write(message(caller.getInputStream()));
      caller.getOutputStream().write(message(listener.getInputStream()));
    }
  }

  private static byte[] message(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    byte[] header = data.readNBytes(HEADER);
    int length = ((header[4] & 0xff) << 8) | (header[5] & 0xff);
    byte[] message = new byte[HEADER + length];
    System.arraycopy(header, 0, message, 0, HEADER);
    data.readFully(message, HEADER, length);
    return message;
  }

  private static void readToEnd(Socket socket) throws IOException {
    socket.getInputStream().readAllBytes();
  }

  @Test
  void garbageIsRefusedAndNotAnswered() throws Exception {
    NodeTransport a = rig.start("a@host");
    try (Socket socket = connect(a)) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      readToEnd(socket);
    }
    until(
        () ->
            !rig.lines(
                    "a connection from 127.0.0.1 was refused: what was sent is not the protocol"
                        + " between nodes")
                .isEmpty());
  }

  @Test
  void largeMessageOfTheHandshakeIsRefusedBeforeItIsRead() throws Exception {
    NodeTransport a = rig.start("a@host");
    try (Socket socket = connect(a)) {
      socket.getOutputStream().write(new byte[] {'M', 'F', 'L', 'Y', -1, -1, 1});
      readToEnd(socket);
    }
    until(() -> !rig.lines("a message of 65535 bytes in the handshake").isEmpty());
  }

  @Test
  void idleConnectionsDoNotKeepNodesOut() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 500; i++) {
        idle.add(connect(a));
      }
      // No handshake of the rig ends by its time.
      assertThat(call(b, "a@host", "one")).isEqualTo("b@host: one");
      until(() -> !rig.lines("it was the oldest of more than 64 from its address").isEmpty());
      readToEnd(idle.get(0));
      assertThat(rig.lines("b@host").stream().filter(line -> line.contains("refused"))).isEmpty();
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  @Test
  void strangerIsToldNothingButTheVersions() throws Exception {
    NodeTransport b = rig.start("b@host");
    NodeTransport other = rig.start(new Node("x@host").secret("another"));
    byte[] answer;
    try (ServerSocket relay = listen()) {
      CompletableFuture<?> found = other.identify(loopback(relay.getLocalPort()));
      try (Socket caller = relay.accept();
          Socket listener = connect(b)) {
        listener.getOutputStream().write(message(caller.getInputStream()));
        answer = listener.getInputStream().readAllBytes();
        caller.getOutputStream().write(answer);
        assertThat(failure(found)).hasMessageContaining("cluster.secret is not the same");
      }
    }
    assertThat(new String(answer, StandardCharsets.ISO_8859_1))
        .doesNotContain("b@host", "a-cluster");
    until(() -> !rig.lines("a connection from 127.0.0.1 was refused: cluster.secret").isEmpty());
  }

  @Test
  void strangersCannotFillTheLog() throws Exception {
    NodeTransport a = rig.start("a@host");
    for (int type = 4; type < 104; type++) {
      try (Socket socket = connect(a)) {
        socket.getOutputStream().write(new byte[] {'M', 'F', 'L', 'Y', 0, 0, (byte) type});
        readToEnd(socket);
      }
    }
    until(() -> !rig.lines("unexpected message 4 in the handshake").isEmpty());
    // Some periods may have passed.
    assertThat(rig.lines("unexpected message").size()).isBetween(20, 80);
  }

  @Test
  void handshakeThatDoesNotEndIsEnded() throws Exception {
    NodeTransport a =
        rig.start(new Node("a@host").times(new TransportTimes(60_000, 50, 60_000, 60_000, 10, 50)));
    try (Socket socket = connect(a)) {
      socket.getOutputStream().write(new byte[] {'M', 'F', 'L'});
      readToEnd(socket);
    }
    until(() -> !rig.lines("no handshake within 50 ms").isEmpty());
  }

  @Test
  void nothingIsReadBeforeTheProof() throws Exception {
    NodeTransport a = rig.start("a@host");
    try (Socket socket = connect(a)) {
      // A proof without a hello.
      socket.getOutputStream().write(new byte[] {'M', 'F', 'L', 'Y', 0, 0, 2});
      readToEnd(socket);
    }
    until(() -> !rig.lines("unexpected message 2 in the handshake").isEmpty());
  }

  @Test
  void challengeAnsweredWithItsOwnAnswerIsRefused() throws Exception {
    NodeTransport a = rig.start("a@host");
    try (ServerSocket mirror = listen()) {
      CompletableFuture<?> found = a.identify(loopback(mirror.getLocalPort()));
      try (Socket socket = mirror.accept()) {
        for (int i = 0; i < 2; i++) {
          socket.getOutputStream().write(message(socket.getInputStream()));
        }
        assertThat(failure(found)).hasMessageContaining("cluster.secret is not the same");
      }
    }
  }

  @Test
  void proofIsOfNoUseInAnotherConnection() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    byte[][] recorded = new byte[2][];
    try (ServerSocket relay = listen()) {
      CompletableFuture<?> found = a.identify(loopback(relay.getLocalPort()));
      try (Socket caller = relay.accept();
          Socket listener = connect(b)) {
        recorded[0] = message(caller.getInputStream());
        listener.getOutputStream().write(recorded[0]);
        caller.getOutputStream().write(message(listener.getInputStream()));
        recorded[1] = message(caller.getInputStream());
        listener.getOutputStream().write(recorded[1]);
        caller.getOutputStream().write(message(listener.getInputStream()));
        found.get();
      }
    }
    try (Socket again = connect(b)) {
      again.getOutputStream().write(recorded[0]);
      message(again.getInputStream());
      again.getOutputStream().write(recorded[1]);
      readToEnd(again);
    }
    until(() -> !rig.lines("was refused: cluster.secret is not the same").isEmpty());
  }

  @Test
  void damagedAndOversizedFramesCloseTheConnection() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    for (String harm : new String[] {"damaged", "oversized"}) {
      try (ServerSocket relay = listen()) {
        rig.addresses.put("b@host", loopback(relay.getLocalPort()));
        a.disconnect("b@host", "another way");
        a.keep("b@host");
        try (Socket caller = relay.accept();
            Socket listener = connect(b)) {
          relayHandshake(caller, listener);
          byte[] frame =
              harm.equals("damaged")
                  ? new byte[] {0, 0, 0, 5, 1, 2, 3, 4, 0}
                  : new byte[] {1, 0, 0, 1, 1, 2, 3, 4, 0};
          caller.getOutputStream().write(frame);
          readToEnd(caller);
        }
        String line =
            harm.equals("damaged")
                ? "the connection to node b@host was lost: a damaged frame: its checksum is wrong"
                : "the connection to node b@host was lost: a frame of 16777217 bytes; at most";
        until(() -> !rig.lines(line).isEmpty());
      }
    }
  }

  @Test
  void nodeThatIsSilentIsLost() throws Exception {
    NodeTransport a =
        rig.start(new Node("a@host").times(new TransportTimes(60_000, 60_000, 100, 1_000, 10, 50)));
    NodeTransport b = rig.start("b@host");
    try (ServerSocket relay = listen()) {
      rig.addresses.put("b@host", loopback(relay.getLocalPort()));
      a.keep("b@host");
      try (Socket caller = relay.accept();
          Socket listener = connect(b)) {
        relayHandshake(caller, listener);
        until(() -> !rig.lines("was lost: nothing was heard for 1000 ms").isEmpty());
      }
    }
  }

  @Test
  void heartbeatsAreSentWhileThereIsNothingElse() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    try (ServerSocket relay = listen()) {
      rig.addresses.put("b@host", loopback(relay.getLocalPort()));
      a.keep("b@host");
      try (Socket caller = relay.accept();
          Socket listener = connect(b)) {
        relayHandshake(caller, listener);
        for (Socket side : new Socket[] {caller, listener, caller, listener}) {
          byte[] frame = side.getInputStream().readNBytes(9);
          assertThat(frame).startsWith(0, 0, 0, 5).endsWith(0);
        }
      }
    }
  }

  @Test
  void callsFailWithTheConnection() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    b.serve(CallService.STATE, (node, request) -> new CompletableFuture<>());
    call(a, "b@host", "connect");
    CompletableFuture<byte[]> open = a.call("b@host", CallService.STATE, new byte[0], 60_000);
    b.close();
    assertThat(failure(open)).isInstanceOf(NodeUnreachableException.class);
    assertThat(failureOfCall(a, "b@host")).isInstanceOf(NodeUnreachableException.class);
  }
}
