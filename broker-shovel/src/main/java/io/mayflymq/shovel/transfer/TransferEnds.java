package io.mayflymq.shovel.transfer;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.shovel.client.BrokerConnection;
import io.mayflymq.shovel.client.BrokerConnections;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The channels that a transfer takes messages from and publishes to. All is called on the thread of
 * the transfer; what happens is told on threads of the connections.
 */
abstract class TransferEnds implements AutoCloseable {
  private final Route route;
  private final Channel source;
  private final Channel destination;
  private final Consumer<TransferEvent> events;
  private final Runnable forgetting;

  /**
   * Listens to both connections.
   *
   * @param source the channel of the first one that messages are taken on
   * @param events is told what happens
   */
  TransferEnds(
      Route route,
      BrokerConnection from,
      Channel source,
      BrokerConnection to,
      Consumer<TransferEvent> events)
      throws IOException {
    this.route = route;
    this.source = source;
    this.events = events;
    this.destination = to.connection().createChannel();
    this.forgetting = listen(from.connection(), to.connection());
  }

  /** Returns what undoes it: the connections may go on to others. */
  private Runnable listen(Connection from, Connection to) {
    ShutdownListener sourceEnds = cause -> ended("source: ", cause);
    ShutdownListener destinationEnds = cause -> ended("destination: ", cause);
    BlockedListener blocked =
        new BlockedListener() {
          @Override
          public void handleBlocked(String reason) {
            tell(new TransferEvent.Blocked(reason));
          }

          @Override
          public void handleUnblocked() {
            tell(new TransferEvent.Blocked(null));
          }
        };
    from.addShutdownListener(sourceEnds);
    source.addShutdownListener(sourceEnds);
    to.addShutdownListener(destinationEnds);
    destination.addShutdownListener(destinationEnds);
    to.addBlockedListener(blocked);
    return () -> {
      from.removeShutdownListener(sourceEnds);
      to.removeShutdownListener(destinationEnds);
      to.removeBlockedListener(blocked);
    };
  }

  private void ended(String end, ShutdownSignalException cause) {
    tell(
        new TransferEvent.Ended(
            end + BrokerConnections.reason(cause), !cause.isInitiatedByApplication()));
  }

  /** Tells the transfer what has happened. Any thread may call. */
  final void tell(TransferEvent event) {
    events.accept(event);
  }

  final Route route() {
    return route;
  }

  final Channel source() {
    return source;
  }

  final Channel destination() {
    return destination;
  }

  /** Has the destination confirm what it takes. */
  final void selectConfirms() throws IOException {
    // Not confirmSelect(): the client would keep a tree of the numbers that are open.
    destination.rpc(new AMQP.Confirm.Select.Builder().build());
  }

  /** Begins to take messages. */
  abstract void consume() throws IOException;

  /** Begins to take messages by a consumer, which hears of the end of its queue. */
  final void consume(Deliveries deliveries) throws IOException {
    source.basicQos(route.prefetch());
    source.basicConsume(
        route.queue(),
        false,
        route.consumerTag(),
        false,
        false,
        route.consumerArguments(),
        new DefaultConsumer(source) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
            deliveries.delivered(envelope, properties, body);
          }

          @Override
          public void handleCancel(String tag) {
            tell(new TransferEvent.Ended("source: the queue was deleted", true));
          }
        });
  }

  /** Takes what comes by the connection. */
  @FunctionalInterface
  interface Deliveries {
    void delivered(Envelope envelope, AMQP.BasicProperties properties, byte[] body);
  }

  /** From now on, what is published and settled may wait until it is to be sent. */
  abstract void begin();

  /** Sends what was published. */
  abstract void sendPublished() throws IOException;

  /** Sends what was settled. */
  abstract void sendSettled() throws IOException;

  /** Acknowledges all messages up to a tag. */
  abstract void acknowledge(long tag) throws IOException;

  /** Puts a message back into its queue. */
  abstract void putBack(long tag) throws IOException;

  /**
   * Waits until what was published and settled is handled, whatever happens to the connections
   * then.
   *
   * @param millis how long
   */
  abstract void awaitHandled(long millis) throws InterruptedException;

  /** Returns how many messages wait in the queue. */
  final long ready() throws IOException {
    return source.messageCount(route.queue());
  }

  /** Closes both channels: what was taken and not acknowledged goes back to its queue. */
  @Override
  public final void close() throws IOException {
    forgetting.run();
    source.abort();
    destination.abort();
  }
}
