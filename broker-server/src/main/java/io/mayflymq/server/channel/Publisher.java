package io.mayflymq.server.channel;

import io.mayflymq.core.message.DeathHistory;
import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.HeaderTime;
import io.mayflymq.core.message.IncomingStamps;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.SenderSelectedKeys;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.Expiration;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.vhost.ReplyConsumers;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.PropertiesScan;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Turns what a client publishes into a message and its route. The checks come in RabbitMQ's order:
 * permission, exchange, internal exchange, expiration, CC and BCC, topics, user ID, route.
 */
public final class Publisher {
  /** To how many exchanges what a channel publishes is counted. */
  private static final int MOST_EXCHANGES = 1000;

  /** The headers that matter for a publish: each has a bit in what the scan returns. */
  private static final byte[][] HEADERS = {
    SenderSelectedKeys.CC.getBytes(StandardCharsets.US_ASCII),
    SenderSelectedKeys.BCC.getBytes(StandardCharsets.US_ASCII),
    DeathHistory.HEADER.getBytes(StandardCharsets.US_ASCII)
  };

  private static final int CC_OR_BCC = 1 | 2;
  private static final int DEATHS = 4;
  private static final int PERSISTENT = 2;

  private final VirtualHost vhost;
  private final Supplier<VhostAccess> access;
  private final int shard;
  private final Map<String, Counters> exchanges = new HashMap<>();
  private final Supplier<String> replyName;
  private final LongConsumer kept;
  private final RouteCache routes;
  private final PropertiesScan properties = new PropertiesScan();

  /** Null if nothing is put into messages. */
  private final IncomingStamps stamps;

  /** Null if messages are not traced. */
  private final MessageTracer tracer;

  private final Accepted accepted = new Accepted();
  private RoutingTable<Queue> countedTable;
  private ShortString countedExchange;
  private Counted counted;

  /**
   * Creates a publisher for use by one shard's thread.
   *
   * @param access the permissions of the user who publishes, as they are now
   * @param shard the number of that shard
   * @param replyName gives the name that replies to the publisher are sent to, or null
   * @param kept is told how many bytes more it holds for later messages, or fewer
   */
  public Publisher(
      VirtualHost vhost,
      Supplier<VhostAccess> access,
      int shard,
      Supplier<String> replyName,
      LongConsumer kept) {
    this.vhost = vhost;
    this.access = access;
    this.shard = shard;
    this.replyName = replyName;
    this.kept = kept;
    this.routes = new RouteCache(kept);
    this.stamps = vhost.stamps();
    this.tracer = vhost.tracer();
  }

  /**
   * Returns what the channel has published to each exchange, as long as there are not too many. On
   * the connection's loop.
   */
  public Map<String, Counters> exchanges() {
    return Map.copyOf(exchanges);
  }

  /** A message was unroutable, and was returned or dropped. */
  void unroutable(ShortString exchange, Counter outcome) {
    vhost.metrics().exchanges().cell(exchange.value(), shard).add(outcome, 1);
    Counters here = exchanges.get(exchange.value());
    if (here != null) {
      here.add(outcome, 1);
    }
  }

  /**
   * Where publishes to an exchange are counted.
   *
   * @param exchange for all channels
   * @param channel for this channel
   */
  record Counted(Counters exchange, Counters channel) {
    void add(Counter counter, long count) {
      exchange.add(counter, count);
      channel.add(counter, count);
    }
  }

  /**
   * A message that was accepted, and where it goes. A publisher has one and uses it again, so it is
   * valid until the next message.
   */
  public static final class Accepted {
    private Message message;
    private Route<Queue> route = Route.none();
    private List<String> replyNames = List.of();
    private Counted counted;
    private boolean routedAnew;

    /** Returns the message and forgets it, so that it is not kept until the next one. */
    public Message takeMessage() {
      Message taken = message;
      message = null;
      return taken;
    }

    /** Returns the queues that it goes to. */
    public Route<Queue> route() {
      return route;
    }

    /** Returns the names of direct reply-to that it is also sent to; mostly none. */
    public List<String> replyNames() {
      return replyNames;
    }

    /** Returns where it is counted. */
    Counted counted() {
      return counted;
    }

    /** Returns whether the route had to be found: it was not the one of an earlier message. */
    boolean isRoutedAnew() {
      return routedAnew;
    }
  }

  /**
   * Checks a message and finds its route.
   *
   * @param content property flags and list, then the body
   * @return valid until the next call
   * @throws ChannelException 403, 404 or 406
   * @throws ConnectionException 540 for {@code immediate}, 502 for properties that cannot be read
   */
  public Accepted accept(
      ShortString exchange,
      ShortString routingKey,
      boolean immediate,
      byte[] content,
      int propertiesLength) {
    if (stamps == null) {
      return traced(exchange, routingKey, immediate, content, propertiesLength);
    }
    byte[] stamped = stamps.put(content, propertiesLength);
    int length = propertiesLength + stamped.length - content.length;
    return traced(exchange, routingKey, immediate, stamped, length);
  }

  private Accepted traced(
      ShortString exchange,
      ShortString routingKey,
      boolean immediate,
      byte[] content,
      int propertiesLength) {
    if (tracer == null) {
      return checked(exchange, routingKey, immediate, content, propertiesLength);
    }
    long start = tracer.now();
    checked(exchange, routingKey, immediate, content, propertiesLength);
    tracer.routed(vhost.name(), accepted.message, accepted.route.size(), start);
    return accepted;
  }

  private Accepted checked(
      ShortString exchange,
      ShortString routingKey,
      boolean immediate,
      byte[] content,
      int propertiesLength) {
    if (immediate) {
      throw new ConnectionException(ReplyCode.NOT_IMPLEMENTED, "immediate=true");
    }
    access.get().check(ResourceKind.EXCHANGE, exchange.value(), Permission.WRITE);
    RoutingTable<Queue> table = vhost.routing();
    RouteCache.Entry cached = routes.get(table, exchange, routingKey);
    ExchangeDefinition definition =
        cached == null ? vhost.exchange(exchange.value()) : cached.definition();
    accepted.routedAnew = cached == null;
    if (definition.internal()) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          "cannot publish to internal exchange '%s' in vhost '%s'"
              .formatted(exchange, vhost.name()));
    }
    properties.scan(content, 0, propertiesLength);
    if (ReplyAddress.isWanted(properties, content)) {
      byte[] addressed = ReplyAddress.put(replyName.get(), properties, content);
      int length = propertiesLength + addressed.length - content.length;
      return checked(exchange, routingKey, false, addressed, length);
    }
    long ttl =
        properties.expirationOffset() < 0
            ? Message.NO_TTL
            : Expiration.parse(
                content, properties.expirationOffset(), properties.expirationLength());
    int headers =
        properties.headersOffset() < 0
            ? 0
            : PropertiesScan.keys(
                content, properties.headersOffset(), properties.headersLength(), HEADERS);
    boolean hasDeaths = (headers & DEATHS) != 0;
    if ((headers & CC_OR_BCC) != 0) {
      Message message =
          acceptForMany(table, definition, exchange, routingKey, content, propertiesLength, ttl);
      return routed(table, exchange, message.withPublishedDeaths(hasDeaths));
    }
    checkTopic(definition, routingKey.value());
    checkUserId(content);
    Message message =
        message(exchange, routingKey, content, propertiesLength, ttl, List.of())
            .withPublishedDeaths(hasDeaths);
    Route<Queue> route;
    if (cached != null) {
      route = cached.route();
    } else {
      route = table.route(exchange.value(), routingKey.value(), message::properties);
      if (route.isReusable()) {
        routes.put(new RouteCache.Entry(table, exchange, routingKey, definition, route));
      }
    }
    accepted.route = route;
    // No queue has such a name, so only a message without a queue can be a reply.
    accepted.replyNames =
        route.isEmpty() && definition.isDefault()
            ? replyNames(List.of(routingKey.value()))
            : List.of();
    return routed(table, exchange, message);
  }

  private void checkTopic(ExchangeDefinition exchange, String routingKey) {
    if (exchange.hasTopics()) {
      access.get().checkTopic(exchange.name(), routingKey, Permission.WRITE);
    }
  }

  private void checkUserId(byte[] content) {
    if (properties.userIdOffset() >= 0) {
      access
          .get()
          .checkUserId(
              new String(
                  content,
                  properties.userIdOffset(),
                  properties.userIdLength(),
                  StandardCharsets.UTF_8));
    }
  }

  private Accepted routed(RoutingTable<Queue> table, ShortString exchange, Message message) {
    if (properties.headersOffset() >= 0) {
      checkDelay(message);
    }
    count(table, exchange);
    vhost.follow(accepted.route, message);
    accepted.message = message;
    return accepted;
  }

  /**
   * A message that would wait for too long, behind a delayed exchange or in a queue, is refused.
   */
  private void checkDelay(Message message) {
    Route<Queue> route = accepted.route;
    if (route.isDelayed()) {
      Delay.check(message.headers(), vhost.nowMillis());
    }
    if (!vhost.schedulesByHeaders()) {
      return;
    }
    for (int i = 0; i < route.size(); i++) {
      String header = route.get(i).settings().expiry().deliverAtHeader();
      if (header != null) {
        Delay.check(header, Delay.until(HeaderTime.of(message, header), vhost.nowMillis()));
      }
    }
  }

  /**
   * Counts the publish for its exchange. The counters of the exchange are cached as long as no
   * exchange can have been deleted and declared again.
   */
  private void count(RoutingTable<Queue> table, ShortString exchange) {
    if (table != countedTable || !exchange.equals(countedExchange)) {
      countedTable = table;
      countedExchange = exchange;
      counted =
          new Counted(
              vhost.metrics().exchanges().cell(exchange.value(), shard),
              countersHere(exchange.value()));
    }
    counted.add(Counter.PUBLISHED, 1);
    counted.exchange.add(Counter.ROUTED, accepted.route.size());
    accepted.counted = counted;
  }

  private Counters countersHere(String exchange) {
    Counters known = exchanges.get(exchange);
    if (known != null) {
      return known;
    }
    Counters counters = new Counters();
    if (exchanges.size() < MOST_EXCHANGES) {
      exchanges.put(exchange, counters);
      kept.accept(MetadataSize.ofCounters(exchange));
    }
    return counters;
  }

  /**
   * Accepts a message with CC or BCC headers: checks all its keys, routes it by them, and removes
   * BCC.
   */
  private Message acceptForMany(
      RoutingTable<Queue> table,
      ExchangeDefinition definition,
      ShortString exchange,
      ShortString routingKey,
      byte[] content,
      int propertiesLength,
      long ttl) {
    BasicProperties decoded = BasicProperties.decode(content, 0, propertiesLength);
    FieldTable headers = decoded.headers();
    List<String> blind = SenderSelectedKeys.require(headers, SenderSelectedKeys.BCC);
    List<String> keys = new ArrayList<>();
    keys.add(routingKey.value());
    keys.addAll(SenderSelectedKeys.require(headers, SenderSelectedKeys.CC));
    keys.addAll(blind);
    keys.forEach(key -> checkTopic(definition, key));
    checkUserId(content);
    byte[] stripped = content;
    int length = propertiesLength;
    if (headers.containsKey(SenderSelectedKeys.BCC)) {
      byte[] without =
          decoded.toBuilder().headers(headers.without(SenderSelectedKeys.BCC)).build().encode();
      length = without.length;
      stripped = new byte[length + content.length - propertiesLength];
      System.arraycopy(without, 0, stripped, 0, length);
      System.arraycopy(
          content, propertiesLength, stripped, length, content.length - propertiesLength);
    }
    Message message = message(exchange, routingKey, stripped, length, ttl, List.copyOf(blind));
    accepted.routedAnew = true;
    accepted.route = table.route(exchange.value(), keys, message::properties);
    accepted.replyNames = exchange.value().isEmpty() ? replyNames(keys) : List.of();
    return message;
  }

  private static List<String> replyNames(List<String> routingKeys) {
    return routingKeys.stream().filter(ReplyConsumers::isReplyName).distinct().toList();
  }

  private Message message(
      ShortString exchange,
      ShortString routingKey,
      byte[] content,
      int propertiesLength,
      long ttl,
      List<String> blindKeys) {
    return new Message(
        exchange,
        routingKey,
        content,
        propertiesLength,
        ttl,
        Math.max(0, properties.priority()),
        properties.deliveryMode() == PERSISTENT,
        blindKeys);
  }
}
