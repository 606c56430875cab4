package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.BrokerEvent;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes what happens in a broker to the exchange {@code amq.rabbitmq.event} of one of its
 * virtual hosts: a message for each event, its name as the routing key, what it tells as headers.
 * As long as nothing is bound there, no message is made.
 *
 * <p>Source: RabbitMQ, "Event Exchange Plugin".
 */
final class EventExchange implements BrokerEvents {
  private static final int PERSISTENT = 2;
  private static final int MILLIS_PER_SECOND = 1_000;
  private static final byte[] NO_BODY = {};

  /** Null if no virtual host has the exchange. */
  private final String vhostName;

  private final InstantSource clock;

  /** The virtual host, once there is one of this name. */
  private volatile QueueHost vhost;

  /**
   * Creates it.
   *
   * @param vhostName the virtual host that has the exchange; null if none has, so that nothing is
   *     published
   */
  public EventExchange(String vhostName, InstantSource clock) {
    this.vhostName = vhostName;
    this.clock = clock;
  }

  /** The exchanges that a virtual host of this name has from the start. */
  public List<ExchangeDefinition> predeclaredIn(String name) {
    List<ExchangeDefinition> exchanges = new ArrayList<>(ExchangeDefinition.predeclared());
    if (name.equals(vhostName)) {
      exchanges.add(ExchangeDefinition.internal(ExchangeDefinition.EVENT));
    }
    return exchanges;
  }

  /** There is another virtual host, perhaps the one whose exchange this is. */
  public void created(QueueHost another) {
    if (another.name().equals(vhostName)) {
      vhost = another;
    }
  }

  @Override
  public void happened(BrokerEvent event) {
    QueueHost home = vhost;
    if (home == null) {
      return;
    }
    RoutingTable<Queue> routing = home.routing();
    if (routing.hasBindingsFrom(ExchangeDefinition.EVENT)) {
      InternalPublisher.publish(routing, message(event, clock.millis()), clock::millis);
    }
  }

  private static Message message(BrokerEvent event, long nowMillis) {
    FieldTable.Builder headers = FieldTable.builder();
    event.describe(headers);
    headers.put("timestamp_in_ms", nowMillis);
    return Message.ofBroker(
        ExchangeDefinition.EVENT,
        ShortString.of(event.name()),
        BasicProperties.builder()
            .deliveryMode(PERSISTENT)
            .headers(headers.build())
            .timestamp(nowMillis / MILLIS_PER_SECOND)
            .build(),
        NO_BODY);
  }
}
