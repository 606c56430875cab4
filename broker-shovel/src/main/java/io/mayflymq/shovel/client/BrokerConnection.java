package io.mayflymq.shovel.client;

import com.rabbitmq.client.Connection;

/**
 * An open connection.
 *
 * @param uri where it leads to
 * @param connection the client's
 * @param burst gathers what is sent on it
 */
public record BrokerConnection(BrokerUri uri, Connection connection, Burst burst)
    implements AutoCloseable {
  private static final int CLOSE_MILLIS = 2_000;

  /** Closes it; one that does not answer is cut off after two seconds. */
  @Override
  public void close() {
    connection.abort(CLOSE_MILLIS);
  }
}
