package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.mayflymq.it.harness.RestartedBroker;

/** What clients learn of the messages of one queue. Threads publish, consume and settle at once. */
public interface Ledger {
  /** Returns the name of the queue. */
  String queue();

  /** Returns with which properties a message is published. */
  default BasicProperties properties(long id) {
    return RestartedBroker.PERSISTENT;
  }

  /** Records that a client is about to publish a message. */
  void publishing(long id, String client);

  /** Records that the broker has confirmed a message. */
  void confirmed(long id);

  /** Records that the broker has refused a message. */
  default void refused(long id) {}

  /** Records a delivery to a client. */
  void delivered(long id, boolean redelivered, String client);

  /**
   * Records that a consumer is about to leave the queue, or has been made to.
   *
   * @param asked whether it leaves because it was told to stop
   */
  default void leaves(String client, boolean asked) {}

  /** Records that a message is about to be acknowledged. */
  void settling(long id);

  /** Records that the broker has answered a request that was sent behind the settlement. */
  void settled(long id);
}
