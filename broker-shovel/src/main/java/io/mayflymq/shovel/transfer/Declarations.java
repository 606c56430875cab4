package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.shovel.client.BrokerConnections;
import java.io.IOException;
import java.util.Map;

/** Finds queues and exchanges of another broker, and declares those that are missing. */
public final class Declarations {
  private Declarations() {}

  /**
   * A queue.
   *
   * @param name its name
   * @param ready how many messages are in it
   * @param channel an open channel
   */
  public record FoundQueue(String name, long ready, Channel channel) {}

  /**
   * How a missing queue is declared.
   *
   * @param durable whether it is
   * @param autoDelete whether it is
   * @param arguments of the declaration
   */
  public record QueueForm(boolean durable, boolean autoDelete, Map<String, Object> arguments) {}

  /**
   * Takes a queue as it is, whatever its arguments are, or declares it.
   *
   * @param form null if it has to be there
   */
  public static FoundQueue queue(Connection connection, String queue, QueueForm form)
      throws IOException {
    Channel channel = connection.createChannel();
    try {
      return found(channel, channel.queueDeclarePassive(queue));
    } catch (IOException e) {
      if (form == null || !isNotFound(e)) {
        throw e;
      }
    }
    Channel second = connection.createChannel();
    return found(
        second,
        second.queueDeclare(queue, form.durable(), false, form.autoDelete(), form.arguments()));
  }

  private static FoundQueue found(Channel channel, AMQP.Queue.DeclareOk queue) {
    return new FoundQueue(queue.getQueue(), queue.getMessageCount(), channel);
  }

  /** Returns whether there is an exchange. */
  public static boolean hasExchange(Connection connection, String exchange) throws IOException {
    Channel channel = connection.createChannel();
    try {
      channel.exchangeDeclarePassive(exchange);
    } catch (IOException e) {
      if (isNotFound(e)) {
        return false;
      }
      throw e;
    }
    channel.abort();
    return true;
  }

  private static boolean isNotFound(IOException e) {
    return e.getCause() instanceof ShutdownSignalException signal
        && signal.getReason() instanceof AMQP.Channel.Close close
        && close.getReplyCode() == AMQP.NOT_FOUND;
  }

  /**
   * Returns what a failure means: that a broker has refused something, which it will do again.
   *
   * @param end what the broker is to a link
   * @throws IOException the failure itself, if a connection is broken
   */
  public static TransferException failed(String end, IOException e) throws IOException {
    if (e.getCause() instanceof ShutdownSignalException signal && !signal.isHardError()) {
      return new TransferException(end + ": " + BrokerConnections.reason(signal), false);
    }
    throw e;
  }
}
