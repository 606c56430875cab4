package io.mayflymq.server.channel;

import io.mayflymq.core.metadata.BrokerEvent;
import io.mayflymq.core.metadata.ErlangTable;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.protocol.types.FieldTable;

/** A channel was opened or closed, or a consumer on one began or ended. */
sealed interface ChannelEvent extends BrokerEvent {
  /** The channel. */
  ChannelIdentity channel();

  /** Adds all properties but the actor. */
  void describeSubject(FieldTable.Builder properties);

  @Override
  default void describe(FieldTable.Builder properties) {
    describeSubject(properties);
    channel().connection().sign(properties);
  }

  /** A channel was opened. */
  record ChannelCreated(ChannelIdentity channel) implements ChannelEvent {
    @Override
    public String name() {
      return "channel.created";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties
          .put("pid", channel.pid())
          .put("name", channel.name())
          .put("connection", channel.connection().pid())
          .put("number", (long) channel.number())
          .put("user", channel.connection().user())
          .put("vhost", channel.connection().vhost());
    }
  }

  /** A channel was closed, or failed, or its connection ended. */
  record ChannelClosed(ChannelIdentity channel) implements ChannelEvent {
    @Override
    public String name() {
      return "channel.closed";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties.put("pid", channel.pid());
    }
  }

  /** A consumer began. */
  record ConsumerCreated(ChannelIdentity channel, String queue, Consumer consumer)
      implements ChannelEvent {
    @Override
    public String name() {
      return "consumer.created";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      put(properties, channel, queue, consumer);
      properties
          .put("exclusive", consumer.exclusive())
          .put("ack_required", consumer.acknowledges())
          .put("prefetch_count", (long) consumer.prefetch())
          .put("arguments", ErlangTable.of(consumer.arguments()));
    }
  }

  /** A consumer ended: cancelled by its client, or removed with its queue or channel. */
  record ConsumerDeleted(ChannelIdentity channel, String queue, Consumer consumer)
      implements ChannelEvent {
    @Override
    public String name() {
      return "consumer.deleted";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      put(properties, channel, queue, consumer);
    }
  }

  private static void put(
      FieldTable.Builder properties, ChannelIdentity channel, String queue, Consumer consumer) {
    properties
        .put("consumer_tag", consumer.tag().value())
        .put("channel", channel.pid())
        .put("queue", queue)
        .put("vhost", channel.connection().vhost());
  }
}
