package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.protocol.types.ChannelException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Who waits for replies in a virtual host, by the names that replies are sent to: routing keys of
 * the default exchange that are no queues. Any thread may call.
 *
 * <p>A name ends in 128 random bits, so that only the receiver of a request knows it, and it is
 * compared as a whole. In a cluster the number of the node follows, where the consumer is.
 *
 * <p>Source: RabbitMQ, "Direct Reply-to".
 */
public final class ReplyConsumers {
  /** What a requester consumes from and puts into {@code reply-to}. */
  public static final String PSEUDO_QUEUE = "amq.rabbitmq.reply-to";

  /** What stands for no member of a cluster; they are numbered from 0. */
  static final int NO_MEMBER = -1;

  private static final String PREFIX = PSEUDO_QUEUE + ".";
  private static final int TOKEN_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String vhost;
  private final Preconditions errors;
  private final Supplier<Optional<Cluster>> cluster;
  private final Map<String, ReplyConsumer> byName = new ConcurrentHashMap<>();
  private final Map<Shard, ReplySender> senders = new ConcurrentHashMap<>();

  /**
   * Begins without any.
   *
   * @param vhost the name of the virtual host
   * @param cluster the one that the broker is a node of
   */
  ReplyConsumers(String vhost, Preconditions errors, Supplier<Optional<Cluster>> cluster) {
    this.vhost = vhost;
    this.errors = errors;
    this.cluster = cluster;
  }

  /** Adds one. @return the name that replies reach it by, up to 255 bytes of ASCII */
  public String add(ReplyConsumer consumer) {
    byte[] token = new byte[TOKEN_BYTES];
    RANDOM.nextBytes(token);
    String name =
        PREFIX
            + Base64.getUrlEncoder().withoutPadding().encodeToString(token)
            + cluster.get().map(of -> "." + of.member()).orElse("");
    byName.put(name, consumer);
    return name;
  }

  /** It waits no longer. */
  public void remove(String name) {
    byName.remove(name);
  }

  /** Who waits for replies to this name at this node, or null. */
  public ReplyConsumer find(String name) {
    return byName.get(name);
  }

  /** Whether a name is one that replies are sent to, though its channel may be closed. */
  public static boolean isReplyName(String name) {
    return name.startsWith(PREFIX);
  }

  /** Whether a name is never that of a queue, as it is used here. */
  public static boolean isReserved(String name) {
    return name.startsWith(PSEUDO_QUEUE);
  }

  /**
   * Returns what a declaration of a reserved name tells, passive or not: one consumer, if there is
   * one. It fails with 404 if no channel waits, or its node cannot be reached.
   */
  public CompletableFuture<DeclaredQueue> status(String name) {
    DeclaredQueue waits = new DeclaredQueue(name, 0, 1);
    if (name.equals(PSEUDO_QUEUE) || byName.containsKey(name)) {
      return CompletableFuture.completedFuture(waits);
    }
    int member = memberOf(name);
    ChannelException missing = errors.noQueue(name);
    if (member == NO_MEMBER) {
      return CompletableFuture.failedFuture(missing);
    }
    return cluster
        .get()
        .orElseThrow()
        .awaitsReplies(member, vhost, name)
        .exceptionally(unreachable -> false)
        .thenApply(
            awaits -> {
              if (awaits) {
                return waits;
              }
              throw missing;
            });
  }

  /**
   * Returns the number of the other member of the cluster that a name leads to; {@link #NO_MEMBER}
   * if it leads to none.
   */
  int memberOf(String name) {
    int dot = name.lastIndexOf('.');
    Optional<Cluster> known = dot < PREFIX.length() ? Optional.empty() : cluster.get();
    if (known.isEmpty()) {
      return NO_MEMBER;
    }
    try {
      int member = Integer.parseUnsignedInt(name, dot + 1, name.length(), 10);
      return member == known.get().member() || member < 0 ? NO_MEMBER : member;
    } catch (NumberFormatException e) {
      return NO_MEMBER;
    }
  }

  /**
   * Sends a reply of the broker. On the thread of a shard, in one of its bursts.
   *
   * @param from the shard
   */
  void send(Shard from, String name, Message message) {
    senders.computeIfAbsent(from, shard -> new ReplySender(shard, this)).send(name, message);
  }

  /** Sends replies to another member of the cluster. */
  void sendAway(int member, List<DirectReply> replies) {
    cluster.get().ifPresent(of -> of.reply(member, vhost, replies));
  }

  /** Hands on replies that come from another node. Any thread may call. */
  public void arrived(List<DirectReply> replies) {
    for (DirectReply reply : replies) {
      ReplyConsumer to = find(reply.name());
      if (to != null) {
        to.home().execute(() -> ReplySender.deliver(to, reply));
      }
    }
  }
}
