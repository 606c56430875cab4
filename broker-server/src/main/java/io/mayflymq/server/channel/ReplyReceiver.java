package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.ReplyConsumer;
import io.mayflymq.protocol.types.ShortString;

/**
 * The reply consumer of a channel: it takes what is sent to its name, without acknowledgement,
 * until it is closed. Belongs to the connection's loop.
 *
 * <p>Source: RabbitMQ, "Direct Reply-to". A requester that leaves very much unread loses replies,
 * which the broker would have to keep for it.
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
   * Begins to receive.
   *
   * @param number of the channel
   * @param tag what the client calls the consumer
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

  /** What the client calls it. */
  String tag() {
    return tag;
  }

  /** What replies are sent to. */
  String name() {
    return name;
  }

  /** Receives no more. */
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
      connection.output().deliver(number, encodedTag, deliveryTags.skip(), false, message);
    }
  }
}
