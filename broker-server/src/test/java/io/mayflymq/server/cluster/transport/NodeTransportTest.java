package io.mayflymq.server.cluster.transport;

import static io.mayflymq.server.cluster.transport.TransportRig.bytes;
import static io.mayflymq.server.cluster.transport.TransportRig.call;
import static io.mayflymq.server.cluster.transport.TransportRig.failure;
import static io.mayflymq.server.cluster.transport.TransportRig.failureOfCall;
import static io.mayflymq.server.cluster.transport.TransportRig.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.cluster.transport.TransportRig.Node;
import io.mayflymq.server.net.StartException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeTransportTest {
  /** A port at which nothing listens. */
  private static final InetSocketAddress CLOSED =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

  private final TransportRig rig = new TransportRig();

  @AfterEach
  void close() {
    rig.close();
  }

  private static final class Events implements PeerListener {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Override
    public void up(NodeIdentity node) {
      seen.add("up " + node.name());
    }

    @Override
    public void down(String node, String reason) {
      seen.add("down " + node);
    }

    @Override
    public void ended(String node) {
      seen.add("ended " + node);
    }
  }

  @Test
  void requestsAreAnsweredInBothDirectionsAndByTheNodeItself() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    assertThat(call(a, "b@host", "one")).isEqualTo("a@host: one");
    assertThat(call(b, "a@host", "two")).isEqualTo("b@host: two");
    assertThat(call(a, "a@host", "three")).isEqualTo("a@host: three");
    assertThat(a.reachable()).containsOnlyKeys("b@host");
  }

  @Test
  void manyRequestsAreEachGivenTheirOwnAnswer() throws Exception {
    NodeTransport a = rig.start("a@host");
    rig.start("b@host");
    List<CompletableFuture<byte[]>> answers = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      answers.add(a.call("b@host", CallService.MEMBERSHIP, bytes("" + i), 60_000));
    }
    for (int i = 0; i < answers.size(); i++) {
      byte[] answer = answers.get(i).get(60, TimeUnit.SECONDS);
      assertThat(TransportRig.text(answer)).isEqualTo("a@host: " + i);
    }
  }

  @Test
  void largeRequestsArriveAndTooLargeOnesFailWithoutHarm() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    b.serve(
        CallService.STATE,
        (node, request) ->
            CompletableFuture.completedFuture(
                new byte[request.length == 0 ? FrameWriter.LARGEST : 3]));
    byte[] large = new byte[FrameWriter.LARGEST - 100];
    assertThat(a.call("b@host", CallService.STATE, large, 60_000).get(60, TimeUnit.SECONDS))
        .hasSize(3);
    assertThat(failure(a.call("b@host", CallService.STATE, new byte[FrameWriter.LARGEST], 60_000)))
        .isInstanceOf(NodeCallException.class)
        .hasMessage(
            "a request to node b@host cannot be sent: a frame of 16777230 bytes; at most 16777216"
                + " are allowed");
    assertThat(failure(a.call("b@host", CallService.STATE, new byte[0], 60_000)))
        .isInstanceOf(NodeCallException.class)
        .hasMessageStartingWith("the answer cannot be sent: a frame of 16777229 bytes");
    assertThat(call(a, "b@host", "on")).isEqualTo("a@host: on");
  }

  @Test
  void failuresOfServicesComeBackAsTheyAre() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    b.serve(
        CallService.STATE,
        (node, request) ->
            CompletableFuture.failedFuture(new IllegalArgumentException("no state")));
    b.serve(
        CallService.PROPOSAL,
        (node, request) -> {
          throw new IllegalStateException("not now");
        });
    assertThat(failure(a.call("b@host", CallService.STATE, bytes(""), 60_000)))
        .isInstanceOf(NodeCallException.class)
        .hasMessage("no state");
    assertThat(failure(a.call("b@host", CallService.PROPOSAL, bytes(""), 60_000)))
        .hasMessage("not now");
    assertThat(failure(a.call("b@host", CallService.CONSENSUS, bytes(""), 60_000)))
        .hasMessage("node b@host does not serve requests 1");
  }

  @Test
  void requestWithoutAnswerFailsAfterItsTime() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    b.serve(CallService.STATE, (node, request) -> new CompletableFuture<>());
    call(a, "b@host", "connect");
    assertThat(failure(a.call("b@host", CallService.STATE, bytes(""), 20)))
        .isInstanceOf(NodeUnreachableException.class)
        .hasMessage("node b@host cannot be reached: no answer within 20 ms");
  }

  @Test
  void nodeWithAnotherSecretIsRefusedWithOneLineOnEachSide() throws Exception {
    NodeTransport a = rig.start("a@host");
    rig.start(new Node("b@host").secret("another"));
    for (int i = 0; i < 3; i++) {
      assertThat(failureOfCall(a, "b@host"))
          .isInstanceOf(NodeUnreachableException.class)
          .hasMessageContaining("cluster.secret is not the same on both nodes");
    }
    Events events = new Events();
    a.addListener(events);
    // Several attempts have failed once the connection has been tried so often.
    for (int i = 0; i < 20; i++) {
      failureOfCall(a, "b@host");
      Thread.sleep(10);
    }
    assertThat(rig.lines("no connection to node b@host at 127.0.0.1:")).hasSize(1);
    assertThat(rig.lines("a connection from 127.0.0.1 was refused: cluster.secret")).hasSize(1);
    assertThat(events.seen).isEmpty();
  }

  @Test
  void nodesWithoutCommonVersionRefuseEachOther() throws Exception {
    NodeTransport a = rig.start(new Node("a@host").versions(1, 1));
    rig.start(new Node("b@host").versions(2, 3));
    String text =
        "no common version of the protocol between nodes: one knows versions 2 to 3, the other one"
            + " version 1";
    assertThat(failureOfCall(a, "b@host")).hasMessageContaining(text);
    until(() -> !rig.lines("was refused: " + text).isEmpty());
  }

  @Test
  void theHighestCommonVersionIsUsed() throws Exception {
    NodeTransport a = rig.start(new Node("a@host").versions(1, 5));
    rig.start(new Node("b@host").versions(3, 9));
    assertThat(call(a, "b@host", "one")).isEqualTo("a@host: one");
  }

  @Test
  void admissionRefusesOnEitherSideWithItsOwnText() throws Exception {
    UUID lost = UUID.randomUUID();
    NodeTransport a = rig.start(new Node("a@host").data(lost));
    rig.start(
        new Node("b@host")
            .refusing(
                node ->
                    node.dataDirectory().equals(lost)
                        ? Optional.of("node " + node.name() + " has lost its data")
                        : Optional.empty()));
    rig.start("c@host");
    assertThat(failureOfCall(a, "b@host")).hasMessageContaining("node a@host has lost its data");
    NodeTransport d =
        rig.start(new Node("d@host").refusing(node -> Optional.of(node.name() + " was forgotten")));
    assertThat(failureOfCall(d, "c@host")).hasMessageContaining("c@host was forgotten");
    until(() -> !rig.lines("a connection from node d@host at 127.0.0.1 was refused").isEmpty());
    assertThat(rig.lines("the other node refused it: c@host was forgotten")).hasSize(1);
  }

  @Test
  void anotherNodeThanExpectedIsNotTalkedTo() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    rig.addresses.put("c@host", b.address());
    assertThat(failureOfCall(a, "c@host"))
        .hasMessageContaining("node c@host was expected at")
        .hasMessageContaining("and b@host answered");
  }

  @Test
  void unknownAddressAndUnknownHostAndClosedPortAreNamed() throws Exception {
    NodeTransport a = rig.start("a@host");
    assertThat(failureOfCall(a, "x@host"))
        .hasMessage("node x@host cannot be reached: its address is not known");
    rig.addresses.put("y@host", InetSocketAddress.createUnresolved("no-such-host.invalid", 1));
    assertThat(failureOfCall(a, "y@host"))
        .hasMessageContaining("host name 'no-such-host.invalid' is unknown");
    rig.addresses.put("z@host", CLOSED);
    assertThat(failureOfCall(a, "z@host"))
        .hasMessage("node z@host cannot be reached: localhost:1: Connection refused");
  }

  @Test
  void connectionThatIsRefusedIsReportedAndTriedAgainOnceEachTime() throws Exception {
    NodeTransport a =
        rig.start(new Node("a@host").times(new TransportTimes(60_000, 20, 100, 60_000, 10, 10)));
    rig.addresses.put("b@host", CLOSED);
    a.keep("b@host");
    // Attempts go on for longer than a handshake may take.
    for (int i = 0; i < 50; i++) {
      failureOfCall(a, "b@host");
      Thread.sleep(5);
    }
    assertThat(rig.lines("b@host"))
        .containsExactly("cluster: node b@host cannot be reached: localhost:1: Connection refused");
  }

  @Test
  void nodeThatIsBackIsReachableAgain() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    int port = b.address().getPort();
    Events events = new Events();
    a.addListener(events);
    a.keep("b@host");
    until(() -> events.seen.equals(List.of("up b@host")));
    b.close();
    until(() -> events.seen.equals(List.of("up b@host", "down b@host", "ended b@host")));
    assertThat(failureOfCall(a, "b@host")).isInstanceOf(NodeUnreachableException.class);
    assertThat(rig.lines("the other node closed it: node b@host stops")).isNotEmpty();
    rig.start(new Node("b@host").port(port));
    until(() -> events.seen.size() == 4);
    assertThat(events.seen.get(3)).isEqualTo("up b@host");
    assertThat(call(a, "b@host", "again")).isEqualTo("a@host: again");
  }

  @Test
  void disconnectedNodeLosesItsConnectionsInBothDirections() throws Exception {
    NodeTransport a = rig.start("a@host");
    NodeTransport b = rig.start("b@host");
    Events events = new Events();
    b.addListener(events);
    call(a, "b@host", "one");
    call(b, "a@host", "two");
    a.disconnect("b@host", "b@host was forgotten");
    until(() -> events.seen.contains("down a@host"));
    until(() -> a.reachable().isEmpty());
  }

  @Test
  void addressIsIdentified() throws Exception {
    NodeTransport a = rig.start("a@host");
    UUID data = UUID.randomUUID();
    NodeTransport b = rig.start(new Node("b@host").data(data));
    NodeIdentity found = a.identify(b.address()).get(60, TimeUnit.SECONDS);
    assertThat(found).isEqualTo(new NodeIdentity("b@host", data, Optional.of("a-cluster")));
    assertThat(a.identify(a.address()).get(60, TimeUnit.SECONDS).name()).isEqualTo("a@host");
    assertThat(failure(a.identify(CLOSED)))
        .hasMessage("no node can be reached at localhost:1: Connection refused");
  }

  @Test
  void listenerThatCannotBeBoundIsNamed() throws Exception {
    NodeTransport a = rig.start("a@host");
    assertThatThrownBy(() -> rig.start(new Node("b@host").port(a.address().getPort())))
        .isInstanceOf(StartException.class)
        .hasMessage(
            "cannot listen on 127.0.0.1:"
                + a.address().getPort()
                + " (key cluster.listener): Address already in use");
  }
}
