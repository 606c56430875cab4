package io.mayflymq.shovel.client;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.impl.AMQConnection;
import java.io.IOException;

/**
 * An open connection.
 *
 * @param uri where it leads to
 * @param connection the client's
 * @param burst gathers what is sent on it
 * @param entrance that of this broker, which the connection may lead to
 */
public record BrokerConnection(
    BrokerUri uri, Connection connection, Burst burst, InnerEntrance entrance)
    implements AutoCloseable {
  private static final int CLOSE_MILLIS = 2_000;

  /**
   * Returns a channel of this connection, which leads to this broker itself, from within.
   *
   * @throws IOException if the connection is broken
   */
  public InnerChannel within(Channel channel) throws IOException {
    return entrance.channel(
        ((AMQConnection) connection).getLocalPort(), channel.getChannelNumber());
  }

  /** Closes it; one that does not answer is cut off after two seconds. */
  @Override
  public void close() {
    connection.abort(CLOSE_MILLIS);
  }
}
