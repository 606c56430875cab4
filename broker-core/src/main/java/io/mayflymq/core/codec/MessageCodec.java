package io.mayflymq.core.codec;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes and reads messages with all that queues need of them. What a message has in common with
 * the one before it in the same frame, exchange and routing key, is not written again. One for each
 * direction of a link; belongs to one thread.
 */
public final class MessageCodec {
  private static final int PERSISTENT = 1;
  private static final int ONE_KEY = 2;
  private static final int TTL = 4;
  private static final int PRIORITY = 8;
  private static final int BLIND_KEYS = 16;
  private static final int SAME_EXCHANGE = 32;
  private static final int SAME_KEY = 64;
  private static final int PUBLISHED_DEATHS = 128;

  private ShortString exchange;
  private ShortString routingKey;

  /** Begins a frame. */
  public void begin() {
    exchange = null;
    routingKey = null;
  }

  /** Writes a message. */
  public void write(ByteWriter out, Message message) {
    boolean sameExchange = message.exchange().equals(exchange);
    boolean sameKey = message.routingKey().equals(routingKey);
    out.octet(
        (message.persistent() ? PERSISTENT : 0)
            | (message.hasOneKey() ? ONE_KEY : 0)
            | (message.ttlMillis() == Message.NO_TTL ? 0 : TTL)
            | (message.priority() == 0 ? 0 : PRIORITY)
            | (message.blindKeys().isEmpty() ? 0 : BLIND_KEYS)
            | (sameExchange ? SAME_EXCHANGE : 0)
            | (sameKey ? SAME_KEY : 0)
            | (message.hasPublishedDeaths() ? PUBLISHED_DEATHS : 0));
    if (!sameExchange) {
      exchange = message.exchange();
      out.shortString(exchange);
    }
    if (!sameKey) {
      routingKey = message.routingKey();
      out.shortString(routingKey);
    }
    if (message.ttlMillis() != Message.NO_TTL) {
      out.number(message.ttlMillis());
    }
    if (message.priority() != 0) {
      out.octet(message.priority());
    }
    if (!message.blindKeys().isEmpty()) {
      out.number(message.blindKeys().size());
      message.blindKeys().forEach(out::text);
    }
    out.number(message.propertiesLength());
    out.bytes(message.content());
  }

  /** Reads a message. */
  public Message read(ByteReader in) {
    int flags = in.octet();
    if ((flags & SAME_EXCHANGE) == 0) {
      exchange = in.shortString();
    }
    if ((flags & SAME_KEY) == 0) {
      routingKey = in.shortString();
    }
    if (exchange == null || routingKey == null) {
      throw new ByteFormatException("a message without exchange or routing key");
    }
    long ttl = (flags & TTL) == 0 ? Message.NO_TTL : in.number();
    int priority = (flags & PRIORITY) == 0 ? 0 : in.octet();
    List<String> blindKeys = (flags & BLIND_KEYS) == 0 ? List.of() : texts(in);
    int propertiesLength = in.integer();
    byte[] content = in.bytes();
    if (propertiesLength > content.length || ttl < Message.NO_TTL) {
      throw new ByteFormatException("a message whose parts do not fit together");
    }
    return new Message(
            exchange,
            routingKey,
            content,
            propertiesLength,
            ttl,
            priority,
            (flags & PERSISTENT) != 0,
            blindKeys)
        .withOneKey((flags & ONE_KEY) != 0)
        .withPublishedDeaths((flags & PUBLISHED_DEATHS) != 0);
  }

  private static List<String> texts(ByteReader in) {
    int count = in.count(1);
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(in.text());
    }
    return List.copyOf(texts);
  }
}
