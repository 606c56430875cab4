package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.ReplyConsumer;
import io.mayflymq.protocol.types.ShortString;

/**
 * The direct reply-to consumer of a channel: it receives messages sent to its name, without
 * acknowledgement, until it is closed. Used on the connection's loop only.
 *
 * <p>Source: RabbitMQ, "Direct Reply-to". If a requester does not read, replies above a limit are
 * dropped, as the broker would have to keep them in memory.
 */
final class ReplyReceiver implements ReplyConsumer {
  private final ConnectionContext connection;
  private final int number;
  private final String tag;
  private final ShortString encodedTag;
  private final UnackedDeliveries deliveryTags;
  private final Counters counters;
  private final String name;
  private boolean closed;

  /**
   * Creates and registers the consumer.
   *
   * @param number of the channel
   * @param tag the consumer tag
   * @param deliveryTags of the channel
   * @param counters of the channel
   */
  ReplyReceiver(
      ConnectionContext connection,
      int number,
      String tag,
      UnackedDeliveries deliveryTags,
      Counters counters) {
    this.connection = connection;
    this.number = number;
    this.tag = tag;
    this.encodedTag = ShortString.of(tag);
    this.deliveryTags = deliveryTags;
    this.counters = counters;
    this.name = connection.vhost().replies().add(this);
  }

  /** Returns the consumer tag. */
  String tag() {
    return tag;
  }

  /** Returns the name that replies are sent to. */
  String name() {
    return name;
  }

  /** Stops receiving. */
  void close() {
    closed = true;
    connection.vhost().replies().remove(name);
  }

  @Override
  public Shard home() {
    return connection.home();
  }

  @Override
  public void reply(Message message) {
    if (!closed && !connection.output().isFlooded()) {
      counters.delivered(false, message.bodyLength(), false);
      Message sent = connection.vhost().asSent(message);
      connection.output().deliver(number, encodedTag, deliveryTags.skip(), false, sent);
    }
  }
}
