package io.mayflymq.shovel;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.shovel.transfer.Declarations;
import io.mayflymq.shovel.transfer.Declarations.FoundQueue;
import io.mayflymq.shovel.transfer.Declarations.QueueForm;
import io.mayflymq.shovel.transfer.TransferException;
import java.io.IOException;
import java.util.Map;

/** The queues and exchanges of a shovel: those that are missing are declared. */
final class Topology {
  /** Binds to all keys of a topic exchange; others do not look at it. */
  private static final String ALL_KEYS = "#";

  private Topology() {}

  /** Returns the queue that messages are taken from. */
  static FoundQueue declareSource(Connection connection, ShovelDefinition.Source source)
      throws IOException, TransferException {
    try {
      if (source.queue() != null) {
        return Declarations.queue(
            connection, source.queue(), form(source.predeclared(), source.queueArguments()));
      }
      Channel channel = connection.createChannel();
      // Exclusive and without a name: a new one for each connection.
      String queue =
          channel.queueDeclare("", false, true, true, source.queueArguments()).getQueue();
      channel.queueBind(
          queue, source.exchange(), source.exchangeKey() == null ? ALL_KEYS : source.exchangeKey());
      return new FoundQueue(queue, 0, channel);
    } catch (IOException e) {
      throw Declarations.failed("source", e);
    }
  }

  static void declareDestination(Connection connection, ShovelDefinition.Destination destination)
      throws IOException, TransferException {
    try {
      if (destination.queue() != null) {
        Declarations.queue(
                connection,
                destination.queue(),
                form(destination.predeclared(), destination.queueArguments()))
            .channel()
            .abort();
      } else if (destination.exchange() != null && !destination.exchange().isEmpty()) {
        Channel channel = connection.createChannel();
        channel.exchangeDeclarePassive(destination.exchange());
        channel.abort();
      }
    } catch (IOException e) {
      throw Declarations.failed("destination", e);
    }
  }

  private static QueueForm form(boolean predeclared, Map<String, Object> arguments) {
    return predeclared ? null : new QueueForm(true, false, arguments);
  }
}
