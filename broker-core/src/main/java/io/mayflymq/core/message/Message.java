package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.Int64Header;
import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;
import java.util.List;

/**
 * A published message: immutable, one object however many queues it was routed to.
 *
 * <p>The content is kept as it was received, property flags and list first, followed by the body,
 * in one array: it is sent to consumers byte for byte, and properties that this broker does not
 * know are preserved. It is decoded only if a headers exchange, dead-lettering or a user's request
 * needs it.
 */
public final class Message {
  /** The value of {@link #ttlMillis()} of a message without an {@code expiration}. */
  public static final long NO_TTL = -1;

  /** The priority of a message whose publisher set none, where that differs from 0. */
  public static final int NO_PRIORITY = -1;

  /** The bit of the first octet of the property flags that says that a priority follows. */
  private static final int HAS_PRIORITY = 0x08;

  /** The marks that a message may have. */
  private static final int ONE_KEY = 1;

  private static final int PUBLISHED_DEATHS = 2;

  private final ShortString exchange;
  private final ShortString routingKey;
  private final byte[] content;
  private final int propertiesLength;
  private final long ttlMillis;
  private final byte priority;
  private final boolean persistent;
  private final List<String> blindKeys;
  private final byte marks;

  /**
   * Creates a message that is also routed by its {@code CC} keys.
   *
   * @param exchange the exchange it was published to
   * @param routingKey its routing key
   * @param content property flags and list, then the body; must not be changed afterwards
   * @param propertiesLength how many bytes of the content are properties
   * @param ttlMillis its own time to live in ms, or {@link #NO_TTL}
   * @param priority its priority, 0 to 255
   * @param persistent whether its delivery mode is 2
   * @param blindKeys the routing keys of its {@code BCC} header, which has been removed from the
   *     content
   */
  public Message(
      ShortString exchange,
      ShortString routingKey,
      byte[] content,
      int propertiesLength,
      long ttlMillis,
      int priority,
      boolean persistent,
      List<String> blindKeys) {
    this(
        exchange,
        routingKey,
        content,
        propertiesLength,
        ttlMillis,
        priority,
        persistent,
        blindKeys,
        0);
  }

  private Message(
      ShortString exchange,
      ShortString routingKey,
      byte[] content,
      int propertiesLength,
      long ttlMillis,
      int priority,
      boolean persistent,
      List<String> blindKeys,
      int marks) {
    this.exchange = exchange;
    this.routingKey = routingKey;
    this.content = content;
    this.propertiesLength = propertiesLength;
    this.ttlMillis = ttlMillis;
    this.priority = (byte) priority;
    this.persistent = persistent;
    this.blindKeys = blindKeys;
    this.marks = (byte) marks;
  }

  /**
   * Creates a message of the broker's own with these properties, of which only the delivery mode
   * matters for queues.
   */
  public static Message ofBroker(
      String exchange, ShortString routingKey, BasicProperties properties, byte[] body) {
    byte[] content = properties.encodeBefore(body, 0);
    return new Message(
        ShortString.of(exchange),
        routingKey,
        content,
        content.length - body.length,
        NO_TTL,
        0,
        Integer.valueOf(2).equals(properties.deliveryMode()),
        List.of());
  }

  /** The exchange that the message was published to; the empty name is the default exchange. */
  public ShortString exchange() {
    return exchange;
  }

  /** The routing key that it was published with. */
  public ShortString routingKey() {
    return routingKey;
  }

  /** Returns property flags and list, then the body. Must not be changed. */
  public byte[] content() {
    return content;
  }

  /** The length of the properties, in bytes from the start of the content. */
  public int propertiesLength() {
    return propertiesLength;
  }

  /** The length of the body in bytes: what length limits count. */
  public int bodyLength() {
    return content.length - propertiesLength;
  }

  /** Returns a copy of the body. */
  public byte[] body() {
    return Arrays.copyOfRange(content, propertiesLength, content.length);
  }

  /** The message's own time to live in ms, or {@link #NO_TTL}. */
  public long ttlMillis() {
    return ttlMillis;
  }

  /** Returns the priority, 0 to 255; 0 if the publisher set none. */
  public int priority() {
    return priority & 0xff;
  }

  /** Returns the priority, 0 to 255, or {@link #NO_PRIORITY} if the publisher set none. */
  public int ownPriority() {
    boolean isSet = priority != 0 || (propertiesLength > 0 && (content[0] & HAS_PRIORITY) != 0);
    return isSet ? priority() : NO_PRIORITY;
  }

  /** Whether the message survives a restart in a durable queue (delivery mode 2). */
  public boolean persistent() {
    return persistent;
  }

  /**
   * The routing keys of the message's {@code BCC} header, which was removed when it was published.
   */
  public List<String> blindKeys() {
    return blindKeys;
  }

  /**
   * Whether it is routed by its routing key alone. This is the case after a death in a queue with
   * {@code x-dead-letter-routing-key}, which replaces all keys: the {@code CC} header remains, but
   * is not used for routing any more.
   *
   * <p>Source: RabbitMQ 3.13, {@code rabbit_dead_letter:publish/5}, where the routing keys are an
   * annotation of the message.
   */
  public boolean hasOneKey() {
    return (marks & ONE_KEY) != 0;
  }

  /** Returns the same message with another value of {@link #hasOneKey}. */
  public Message withOneKey(boolean one) {
    return marked(ONE_KEY, one);
  }

  /**
   * Whether its {@code x-death} header is what its publisher sent, and not the history of its
   * deaths here: so since it entered the broker, until it dies.
   *
   * <p>Source: RabbitMQ 4.3.6, run: the first death replaces such a header.
   */
  public boolean hasPublishedDeaths() {
    return (marks & PUBLISHED_DEATHS) != 0;
  }

  /** Returns the same message with another value of {@link #hasPublishedDeaths}. */
  public Message withPublishedDeaths(boolean published) {
    return marked(PUBLISHED_DEATHS, published);
  }

  private Message marked(int mark, boolean isSet) {
    int changed = isSet ? marks | mark : marks & ~mark;
    return changed == marks ? this : copy(exchange, routingKey, content, propertiesLength, changed);
  }

  private Message copy(
      ShortString otherExchange,
      ShortString otherKey,
      byte[] otherContent,
      int length,
      int otherMarks) {
    return new Message(
        otherExchange,
        otherKey,
        otherContent,
        length,
        ttlMillis,
        priority(),
        persistent,
        blindKeys,
        otherMarks);
  }

  /**
   * Returns the keys of its {@code CC} header by which it is routed besides its routing key.
   *
   * @param headers its headers, decoded
   */
  public List<String> carbonCopies(FieldTable headers) {
    return hasOneKey() ? List.of() : SenderSelectedKeys.carbonCopies(headers);
  }

  /** Returns the same message with this header set. */
  public Message with(Int64Header header, long value) {
    byte[] changed = header.put(content, propertiesLength, value);
    int length = propertiesLength + changed.length - content.length;
    return copy(exchange, routingKey, changed, length, marks);
  }

  /**
   * Returns the same message as if it had been published to another exchange, with another routing
   * key and other properties; those properties that matter for queues must be the same.
   */
  Message publishedAs(ShortString otherExchange, ShortString otherKey, BasicProperties changed) {
    byte[] copy = changed.encodeBefore(content, propertiesLength);
    int length = copy.length - bodyLength();
    return copy(otherExchange, otherKey, copy, length, marks);
  }

  /**
   * Returns the same message with another value of {@link #ttlMillis}, which its property {@code
   * expiration} has already.
   */
  Message withTtl(long millis) {
    return new Message(
        exchange,
        routingKey,
        content,
        propertiesLength,
        millis,
        priority(),
        persistent,
        blindKeys,
        marks);
  }

  /** Returns the same message with another exchange and routing key. */
  public Message addressedTo(ShortString otherExchange, ShortString otherKey) {
    return copy(otherExchange, otherKey, content, propertiesLength, marks);
  }

  /** Decodes the properties into a new object. */
  public BasicProperties properties() {
    return BasicProperties.decode(content, 0, propertiesLength);
  }

  /** Decodes the headers; empty if there are none. */
  public FieldTable headers() {
    FieldTable headers = properties().headers();
    return headers == null ? FieldTable.EMPTY : headers;
  }
}
