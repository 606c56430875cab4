package io.mayflymq.server.cluster.transport;

import io.mayflymq.server.cluster.transport.OutgoingHandshake.Expected;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The connection for requests to one other node: opened at the first request, then kept, and opened
 * again when it is lost. All state belongs to one event loop.
 */
final class PeerConnection {
  /** A connection that has lasted so long is opened again at once when it is lost. */
  private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String node;
  private final EventLoop loop;
  private final PeerSupport support;

  /** Requests that wait for the connection that is being opened. */
  private final Deque<Call> waiting = new ArrayDeque<>();

  private CallConnection connection;
  private boolean connecting;
  private boolean ended;
  private int retryMillis;

  private long upSinceNanos;

  /** Whether it was lost, and it is not known whether the node's process has ended. */
  private boolean wasLost;

  /** Why the last attempt failed; null if none has, or the next one is under way. */
  private String failure;

  PeerConnection(String node, EventLoop loop, PeerSupport support) {
    this.node = node;
    this.loop = loop;
    this.support = support;
    this.retryMillis = support.times().firstRetry();
  }

  /** Sends a request. Any thread may call. */
  void call(Call call) {
    execute(() -> send(call));
  }

  /** Opens the connection, if it is not open. Any thread may call. */
  void keep() {
    execute(this::connect);
  }

  /** Ends it for good. Any thread may call. */
  void end(String why) {
    execute(
        () -> {
          ended = true;
          failure = why;
          failWaiting(why);
          if (connection != null) {
            connection.close(why);
          }
        });
  }

  private void execute(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  private void send(Call call) {
    if (connection != null) {
      connection.call(call);
    } else if (failure != null) {
      call.unreachable(node, failure);
    } else {
      waiting.add(call);
      loop.schedule(() -> expire(call), call.remainingMillis(), TimeUnit.MILLISECONDS);
      connect();
    }
  }

  private void expire(Call call) {
    if (waiting.remove(call)) {
      call.unreachable(node, "no connection within " + call.timeoutMillis() + " ms");
    }
  }

  private void connect() {
    if (connecting || connection != null || ended) {
      return;
    }
    connecting = true;
    Optional<InetSocketAddress> address = support.addresses().of(node);
    if (address.isEmpty()) {
      failed("its address is not known", false);
      return;
    }
    support
        .dialer()
        .dial(
            address.get(),
            loop,
            new Expected(Optional.of(node), Purpose.CALLS),
            new HandshakeResult() {
              @Override
              public ChannelHandler established(
                  Channel channel, NodeIdentity other, int version, Purpose purpose) {
                return up(other);
              }

              @Override
              public void connectionRefused() {
                refused();
              }

              @Override
              public void failed(Channel channel, String reason, boolean refusal) {
                PeerConnection.this.failed(inWords(address.get()) + ": " + reason, refusal);
              }
            });
  }

  private static String inWords(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private ChannelHandler up(NodeIdentity other) {
    connecting = false;
    failure = null;
    wasLost = false;
    retryMillis = support.times().firstRetry();
    CallConnection made = new CallConnection(node, support.times(), this::lost);
    connection = made;
    upSinceNanos = System.nanoTime();
    support.reports().up(other);
    // The handler sends only once it is in the pipeline.
    loop.execute(
        () -> {
          if (ended) {
            made.close(failure == null ? "the node stops" : failure);
          }
          while (connection == made && !waiting.isEmpty()) {
            made.call(waiting.poll());
          }
        });
    return made;
  }

  private void lost(String why) {
    connection = null;
    failure = why;
    support.reports().down(node, why);
    failWaiting(why);
    wasLost = true;
    if (System.nanoTime() - upSinceNanos > STABLE_NANOS && !ended && !loop.isShuttingDown()) {
      // What happens now tells whether the process has ended.
      loop.execute(this::retry);
    } else {
      retryLater();
    }
  }

  private void refused() {
    if (wasLost && !ended) {
      wasLost = false;
      support.reports().ended(node);
    }
  }

  private void failed(String why, boolean refusal) {
    connecting = false;
    failure = why;
    if (!ended) {
      support.reports().unreachable(node, why, refusal);
    }
    failWaiting(why);
    retryLater();
  }

  private void failWaiting(String why) {
    while (!waiting.isEmpty()) {
      waiting.poll().unreachable(node, why);
    }
  }

  private void retryLater() {
    if (!ended && !loop.isShuttingDown()) {
      loop.schedule(this::retry, retryMillis, TimeUnit.MILLISECONDS);
      retryMillis = Math.min(retryMillis * 2, support.times().lastRetry());
    }
  }

  private void retry() {
    if (!ended && connection == null && !connecting) {
      failure = null;
      connect();
    }
  }
}
