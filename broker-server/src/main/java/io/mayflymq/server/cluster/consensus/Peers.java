package io.mayflymq.server.cluster.consensus;

import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * The nodes of the other members: calls to them, and when each was heard of last. Any thread may
 * call.
 */
final class Peers {
  /** How long the other side gets beyond the time limit of the transport. */
  private static final long MARGIN_MILLIS = 1_000;

  private final NodeCalls calls;
  private final long timeoutMillis;
  private final Map<RaftPeerId, String> names = new ConcurrentHashMap<>();
  private final Map<RaftPeerId, Long> heardNanos = new ConcurrentHashMap<>();
  private final Map<RaftPeerId, Long> followedNanos = new ConcurrentHashMap<>();

  /**
   * Creates an instance without peers.
   *
   * @param timeoutMillis how long to wait for the answer to a message of the protocol
   */
  public Peers(NodeCalls calls, long timeoutMillis) {
    this.calls = calls;
    this.timeoutMillis = timeoutMillis;
  }

  /** Adds a peer, or sets its name. */
  void add(RaftPeer peer) {
    if (peer.getAddress() != null) {
      names.put(peer.getId(), peer.getAddress());
    }
  }

  /** Sends a message of the protocol and waits for the answer. */
  byte[] exchange(RaftPeerId id, byte[] request) throws IOException {
    String name = names.get(id);
    if (name == null) {
      throw new IOException("no node has the id " + id);
    }
    try {
      byte[] answer =
          calls
              .call(name, CallService.CONSENSUS, request, timeoutMillis)
              .get(timeoutMillis + MARGIN_MILLIS, TimeUnit.MILLISECONDS);
      heard(id);
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(name + " has not answered within " + timeoutMillis + " ms", e);
    }
  }

  /** Sends a request to a node. */
  public CompletableFuture<byte[]> call(
      String name, CallService service, byte[] request, long limitMillis) {
    return calls.call(name, service, request, limitMillis);
  }

  /** Notes that something has arrived from a peer. */
  public void heard(RaftPeerId id) {
    heardNanos.put(id, System.nanoTime());
  }

  /** Notes that a follower has accepted what this node, as the leader, sent at a time. */
  void followed(RaftPeerId id, long sentNanos) {
    followedNanos.put(id, sentNanos);
  }

  /** Returns whether something has arrived from a peer within a time. */
  public boolean heardWithin(RaftPeerId id, long millis) {
    return within(heardNanos.get(id), millis);
  }

  /** Returns whether a follower has accepted what was sent within a time. */
  public boolean followedWithin(RaftPeerId id, long millis) {
    return within(followedNanos.get(id), millis);
  }

  /** Forgets who has accepted what, since this node does not lead any more. */
  void followNot() {
    followedNanos.clear();
  }

  private static boolean within(Long nanos, long millis) {
    return nanos != null && System.nanoTime() - nanos <= TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
