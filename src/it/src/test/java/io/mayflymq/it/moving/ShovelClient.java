package io.mayflymq.it.moving;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;

/**
 * Moves messages from a queue of one broker to the queue of the same name in another one, with the
 * methods that RabbitMQ's shovel uses with {@code "ack-mode":"on-confirm"}: a message is
 * acknowledged at the source once the destination has confirmed it.
 */
final class ShovelClient implements AutoCloseable {
  private static final int PREFETCH = 1000;

  private final Connection source;
  private final Connection destination;

  /** The delivery tags of the source by the numbers of the publishes that are not confirmed. */
  private final ConcurrentSkipListMap<Long, Long> unconfirmed = new ConcurrentSkipListMap<>();

  ShovelClient(ConnectionFactory from, ConnectionFactory to, String queue)
      throws IOException, TimeoutException {
    source = from.newConnection("Shovel drain-" + queue);
    destination = to.newConnection("Shovel drain-" + queue);
    Channel consuming = source.createChannel();
    Channel publishing = destination.createChannel();
    consuming.queueDeclarePassive(queue);
    publishing.queueDeclarePassive(queue);
    publishing.confirmSelect();
    publishing.addConfirmListener(
        (number, multiple) -> confirmed(consuming, number, multiple),
        (number, multiple) -> {
          // Refused: it stays unacknowledged, and returns to its queue at the end.
        });
    consuming.basicQos(PREFETCH);
    consuming.basicConsume(
        queue,
        false,
        (tag, delivery) -> {
          try {
            unconfirmed.put(
                publishing.getNextPublishSeqNo(), delivery.getEnvelope().getDeliveryTag());
            publishing.basicPublish("", queue, delivery.getProperties(), delivery.getBody());
          } catch (ShutdownSignalException e) {
            source.abort();
          }
        },
        tag -> {});
  }

  private void confirmed(Channel consuming, long number, boolean multiple) throws IOException {
    NavigableMap<Long, Long> confirmed =
        unconfirmed.subMap(multiple ? 0 : number, true, number, true);
    for (long tag : confirmed.values()) {
      consuming.basicAck(tag, false);
    }
    confirmed.clear();
  }

  /** Whether both connections are open. */
  boolean runs() {
    return source.isOpen() && destination.isOpen();
  }

  @Override
  public void close() {
    source.abort();
    destination.abort();
  }
}
