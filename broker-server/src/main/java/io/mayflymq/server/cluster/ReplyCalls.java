package io.mayflymq.server.cluster;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.DirectReply;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Direct replies between the nodes of a cluster: to the consumers of clients of other nodes, and
 * from there. Any thread may call.
 *
 * <p>A node gets replies in the order in which a thread has sent them, as what one node asks
 * another goes over one connection. As replies are delivered at most once, those are dropped that
 * do not get there: if the node does not answer, if much is under way to it already, or if a reply
 * is larger than what nodes send each other at once.
 */
final class ReplyCalls {
  private static final Logger LOGGER = LoggerFactory.getLogger(ReplyCalls.class);
  private static final int REPLIES = 0;
  private static final int QUESTION = 1;
  private static final long LIMIT_MILLIS = 5_000;

  /** So many bytes may be under way to a node, as a client may have unread. */
  private static final long MOST_UNDER_WAY = 32L << 20;

  /** A request is sent when it has so many bytes. */
  private static final int FULL_BYTES = 256 << 10;

  private final NodeCalls calls;
  private final IntFunction<String> names;
  private final Broker broker;

  /** How many bytes are on their way to each node. */
  private final Map<String, AtomicLong> underWay = new ConcurrentHashMap<>();

  /**
   * @param calls reaches the other nodes
   * @param names returns the name of the node with a number; null if there is none
   */
  ReplyCalls(NodeCalls calls, IntFunction<String> names, Broker broker) {
    this.calls = calls;
    this.names = names;
    this.broker = broker;
  }

  /** Answers other nodes from now on. */
  void serve() {
    calls.serve(CallService.REPLIES, (node, request) -> answer(request));
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#reply}. */
  void reply(int member, String vhost, List<DirectReply> replies) {
    String node = names.apply(member);
    if (node == null) {
      return;
    }
    MessageCodec codec = new MessageCodec();
    ByteWriter out = null;
    for (DirectReply reply : replies) {
      if (out == null) {
        codec.begin();
        out = new ByteWriter().octet(REPLIES).text(vhost);
      }
      out.text(reply.name()).number(reply.deadlineMillis());
      codec.write(out, reply.message());
      if (out.size() >= FULL_BYTES) {
        send(node, written(out));
        out = null;
      }
    }
    if (out != null) {
      send(node, written(out));
    }
  }

  private static byte[] written(ByteWriter out) {
    return Arrays.copyOf(out.bytes(), out.size());
  }

  private void send(String node, byte[] request) {
    AtomicLong bytes = underWay.computeIfAbsent(node, first -> new AtomicLong());
    if (bytes.get() > MOST_UNDER_WAY) {
      LOGGER.debug("direct replies to node {} are dropped: it is behind", node);
      return;
    }
    bytes.addAndGet(request.length);
    calls
        .call(node, CallService.REPLIES, request, LIMIT_MILLIS)
        .whenComplete(
            (answer, failure) -> {
              bytes.addAndGet(-request.length);
              if (failure != null) {
                LOGGER.debug("direct replies were dropped: {}", failure.toString());
              }
            });
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#awaitsReplies}. */
  CompletableFuture<Boolean> awaits(int member, String vhost, String name) {
    String node = names.apply(member);
    if (node == null) {
      return CompletableFuture.completedFuture(false);
    }
    byte[] question = written(new ByteWriter().octet(QUESTION).text(vhost).text(name));
    return calls
        .call(node, CallService.REPLIES, question, LIMIT_MILLIS)
        .thenApply(answer -> answer.length == 1 && answer[0] == 1);
  }

  private CompletableFuture<byte[]> answer(byte[] request) {
    ByteReader in = new ByteReader(request, request.length);
    int kind = in.octet();
    VirtualHost vhost = broker.virtualHost(in.text());
    if (kind == QUESTION) {
      boolean awaits = vhost != null && vhost.replies().find(in.text()) != null;
      return CompletableFuture.completedFuture(new byte[] {(byte) (awaits ? 1 : 0)});
    } else if (kind != REPLIES) {
      throw new ByteFormatException("unknown request of kind " + kind);
    }
    List<DirectReply> replies = replies(in);
    if (vhost != null) {
      vhost.replies().arrived(replies);
    }
    return CompletableFuture.completedFuture(new byte[0]);
  }

  private static List<DirectReply> replies(ByteReader in) {
    MessageCodec codec = new MessageCodec();
    codec.begin();
    List<DirectReply> replies = new ArrayList<>();
    while (in.remaining() > 0) {
      String name = in.text();
      long deadlineMillis = in.number();
      replies.add(new DirectReply(name, codec.read(in), deadlineMillis));
    }
    return replies;
  }
}
