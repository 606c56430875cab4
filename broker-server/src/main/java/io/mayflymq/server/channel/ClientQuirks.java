package io.mayflymq.server.channel;

/**
 * What a client goes by, as far as the protocol leaves that open.
 *
 * @param wantsCancelNotifications whether it understands a {@code basic.cancel} from the broker
 * @param hasPrefetchForChannel whether {@code basic.qos} without {@code global} is for all of its
 *     channel, as the specification says, and not for each new consumer as in RabbitMQ: py-amqp,
 *     and with it kombu and Celery, goes by that unless the server's product is RabbitMQ. A Celery
 *     worker with more tasks that wait for their time than its prefetch count asks for a larger
 *     one, and would get no others
 */
public record ClientQuirks(boolean wantsCancelNotifications, boolean hasPrefetchForChannel) {
  /** Before a client has said anything of itself. */
  public static final ClientQuirks UNKNOWN = new ClientQuirks(false, false);
}
