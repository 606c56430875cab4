package io.mayflymq.server.channel;

/**
 * How a client interprets the protocol, where the protocol leaves that open.
 *
 * @param wantsCancelNotifications whether it understands a {@code basic.cancel} from the broker
 * @param hasPrefetchForChannel whether {@code basic.qos} without {@code global} is for all of its
 *     channel, as the specification says, and not for each new consumer as in RabbitMQ: py-amqp,
 *     and with it kombu and Celery, assumes that unless the server's product is RabbitMQ. A Celery
 *     worker that holds as many delayed tasks as its prefetch count raises the count; if that
 *     applied to new consumers only, it would get no more tasks
 */
public record ClientQuirks(boolean wantsCancelNotifications, boolean hasPrefetchForChannel) {
  /** The value before the client has sent its properties. */
  public static final ClientQuirks UNKNOWN = new ClientQuirks(false, false);
}
