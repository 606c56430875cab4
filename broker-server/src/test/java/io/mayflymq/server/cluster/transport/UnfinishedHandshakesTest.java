package io.mayflymq.server.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnfinishedHandshakesTest {
  private final UnfinishedHandshakes unfinished = new UnfinishedHandshakes();
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();

  @AfterEach
  void close() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  private final class Result implements HandshakeResult {
    @Override
    public ChannelHandler established(
        Channel channel, NodeIdentity node, int version, Purpose purpose) {
      throw new AssertionError("nobody proves anything");
    }

    @Override
    public void failed(Channel channel, String reason, boolean refusal) {
      ends.add(reason);
    }
  }

  private static InetAddress address(int... bytes) throws Exception {
    byte[] address = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      address[i] = (byte) bytes[i];
    }
    return InetAddress.getByAddress(address);
  }

  private static InetAddress inNetwork(int network, int host) throws Exception {
    return address(0x20, 1, 0xd, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host);
  }

  private IncomingHandshake connect(InetAddress from) {
    LocalNode local =
        new LocalNode(
            "a@host",
            new UUID(1, 2),
            ClusterSecret.of("a secret"),
            VersionRange.KNOWN,
            new Admission() {
              @Override
              public Optional<String> clusterId() {
                return Optional.empty();
              }

              @Override
              public Optional<String> refusal(NodeIdentity node) {
                return Optional.empty();
              }
            });
    IncomingHandshake handshake = new IncomingHandshake(local, new Result(), 60_000);
    channels.add(new EmbeddedChannel(handshake));
    unfinished.add(handshake, from);
    return handshake;
  }

  private List<Integer> closed() {
    channels.forEach(EmbeddedChannel::runPendingTasks);
    List<Integer> closed = new ArrayList<>();
    for (int i = 0; i < channels.size(); i++) {
      if (!channels.get(i).isOpen()) {
        closed.add(i);
      }
    }
    return closed;
  }

  @Test
  void oldestOfAnAddressGoesBeyondItsLimit() throws Exception {
    connect(address(10, 0, 0, 1));
    for (int i = 0; i < UnfinishedHandshakes.MOST_OF_ADDRESS; i++) {
      connect(address(10, 0, 0, 2));
    }
    assertThat(closed()).isEmpty();
    connect(address(10, 0, 0, 2));
    connect(address(10, 0, 0, 2));
    assertThat(closed()).containsExactly(1, 2);
    assertThat(ends)
        .containsOnly(
            "the handshake was not finished, and it was the oldest of more than 64 from its"
                + " address");
    assertThat(unfinished.size()).isEqualTo(1 + UnfinishedHandshakes.MOST_OF_ADDRESS);
  }

  @Test
  void oldestOfAllGoesBeyondTheLimitOfAll() throws Exception {
    for (int i = 0; i < UnfinishedHandshakes.MOST; i++) {
      connect(address(10, 0, 1, i));
    }
    assertThat(closed()).isEmpty();
    connect(address(10, 0, 2, 0));
    assertThat(closed()).containsExactly(0);
    assertThat(ends)
        .containsExactly("the handshake was not finished, and it was the oldest of more than 256");
  }

  @Test
  void addressesOfOneNetworkOfIpv6CountAsOne() throws Exception {
    for (int i = 0; i <= UnfinishedHandshakes.MOST_OF_ADDRESS; i++) {
      connect(inNetwork(1, i));
    }
    connect(inNetwork(2, 0));
    assertThat(closed()).containsExactly(0);
  }

  @Test
  void finishedOnesMakeRoom() throws Exception {
    for (int i = 0; i < 3 * UnfinishedHandshakes.MOST; i++) {
      unfinished.remove(connect(address(10, 0, 0, 1)));
    }
    assertThat(unfinished.size()).isZero();
    assertThat(closed()).isEmpty();
  }
}
