package io.mayflymq.core.vhost;

import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.protocol.types.ChannelException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who waits for replies in a virtual host, by the names that replies are sent to: routing keys of
 * the default exchange that are no queues. Any thread may call.
 *
 * <p>A name ends in 128 random bits, so that only the receiver of a request knows it, and it is
 * compared as a whole.
 *
 * <p>Source: RabbitMQ, "Direct Reply-to".
 */
public final class ReplyConsumers {
  /** What a requester consumes from and puts into {@code reply-to}. */
  public static final String PSEUDO_QUEUE = "amq.rabbitmq.reply-to";

  private static final String PREFIX = PSEUDO_QUEUE + ".";
  private static final int TOKEN_BYTES = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Preconditions errors;
  private final Map<String, ReplyConsumer> byName = new ConcurrentHashMap<>();

  /** Begins without any. */
  public ReplyConsumers(Preconditions errors) {
    this.errors = errors;
  }

  /** Adds one. @return the name that replies reach it by, up to 255 bytes of ASCII */
  public String add(ReplyConsumer consumer) {
    byte[] token = new byte[TOKEN_BYTES];
    RANDOM.nextBytes(token);
    String name = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    byName.put(name, consumer);
    return name;
  }

  /** It waits no longer. */
  public void remove(String name) {
    byName.remove(name);
  }

  /** Who waits for replies to this name, or null. */
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
   * What a declaration of a reserved name tells, passive or not: one consumer, if there is one.
   *
   * @throws ChannelException 404 if no channel waits
   */
  public DeclaredQueue status(String name) {
    if (!name.equals(PSEUDO_QUEUE) && !byName.containsKey(name)) {
      throw errors.noQueue(name);
    }
    return new DeclaredQueue(name, 0, 1);
  }
}
