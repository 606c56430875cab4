package io.mayflymq.shovel;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.shovel.client.BrokerConnections;
import java.io.IOException;
import java.util.Map;

/** The queues and exchanges of a shovel: those that are missing are declared. */
final class Topology {
  /** Binds to all keys of a topic exchange; others do not look at it. */
  private static final String ALL_KEYS = "#";

  private Topology() {}

  /**
   * The queue that messages are taken from.
   *
   * @param name its name
   * @param ready how many messages are in it
   * @param channel an open channel
   */
  record SourceQueue(String name, long ready, Channel channel) {}

  static SourceQueue declareSource(Connection connection, ShovelDefinition.Source source)
      throws IOException, TransferException {
    try {
      if (source.queue() != null) {
        return declared(connection, source.queue(), source.queueArguments(), source.predeclared());
      }
      Channel channel = connection.createChannel();
      // Exclusive and without a name: a new one for each connection.
      String queue =
          channel.queueDeclare("", false, true, true, source.queueArguments()).getQueue();
      channel.queueBind(
          queue, source.exchange(), source.exchangeKey() == null ? ALL_KEYS : source.exchangeKey());
      return new SourceQueue(queue, 0, channel);
    } catch (IOException e) {
      throw failed("source: ", e);
    }
  }

  static void declareDestination(Connection connection, ShovelDefinition.Destination destination)
      throws IOException, TransferException {
    try {
      if (destination.queue() != null) {
        declared(
                connection,
                destination.queue(),
                destination.queueArguments(),
                destination.predeclared())
            .channel()
            .abort();
      } else if (destination.exchange() != null && !destination.exchange().isEmpty()) {
        Channel channel = connection.createChannel();
        channel.exchangeDeclarePassive(destination.exchange());
        channel.abort();
      }
    } catch (IOException e) {
      throw failed("destination: ", e);
    }
  }

  /** Takes a queue as it is, whatever its arguments are, or declares it. */
  private static SourceQueue declared(
      Connection connection, String queue, Map<String, Object> arguments, boolean predeclared)
      throws IOException {
    Channel channel = connection.createChannel();
    try {
      return found(channel, channel.queueDeclarePassive(queue));
    } catch (IOException e) {
      if (predeclared || !isNotFound(e)) {
        throw e;
      }
    }
    Channel second = connection.createChannel();
    return found(second, second.queueDeclare(queue, true, false, false, arguments));
  }

  private static SourceQueue found(Channel channel, AMQP.Queue.DeclareOk queue) {
    return new SourceQueue(queue.getQueue(), queue.getMessageCount(), channel);
  }

  private static boolean isNotFound(IOException e) {
    return e.getCause() instanceof ShutdownSignalException signal
        && signal.getReason() instanceof AMQP.Channel.Close close
        && close.getReplyCode() == AMQP.NOT_FOUND;
  }

  private static TransferException failed(String end, IOException e) throws IOException {
    if (e.getCause() instanceof ShutdownSignalException signal && !signal.isHardError()) {
      return new TransferException(end + BrokerConnections.reason(signal), false);
    }
    throw e;
  }
}
