package io.mayflymq.server.channel;

import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.vhost.Firehose;
import io.mayflymq.server.config.NodeName;

/**
 * The identity of a channel.
 *
 * @param connection its connection
 * @param number its number in the connection, from 1
 */
public record ChannelIdentity(ConnectionIdentity connection, int number) {
  /** Returns its name, such as {@code 10.0.0.7:4711 -> 10.0.0.1:5672 (1)}. */
  public String name() {
    return connection.name() + " (" + number + ")";
  }

  /** Returns what firehose messages state about it. */
  public Firehose.Client firehoseClient() {
    return new Firehose.Client(NodeName.value(), connection.name(), number, connection.user());
  }

  /** Returns what lists of consumers show of it. */
  public ConsumerOrigin origin() {
    return new ConsumerOrigin(
        NodeName.value(),
        connection.name(),
        number,
        pid(),
        connection.user(),
        connection.peerHost(),
        connection.peerPort());
  }

  /** Returns its name in the form of RabbitMQ's process identifiers. */
  public String pid() {
    return NodeName.pid(connection.serial(), number);
  }
}
