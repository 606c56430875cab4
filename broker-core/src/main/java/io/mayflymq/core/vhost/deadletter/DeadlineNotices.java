package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;

/**
 * Tells that a message has died at the deadline of its header: by a message to the queue of its
 * {@code reply_to}, to the consumer of direct replies that this names, or to an exchange. A notice
 * that no queue or consumer takes is dropped. Called on the shard of the queue.
 */
public final class DeadlineNotices {
  private final QueueHost vhost;
  private final DeadLetterPublishers publishers;

  public DeadlineNotices(QueueHost vhost, DeadLetterPublishers publishers) {
    this.vhost = vhost;
    this.publishers = publishers;
  }

  /**
   * Sends a notice, if the settings of the queue want it.
   *
   * @param deadlineMillis when the message had to be consumed, in ms since the epoch
   * @param arrivedMillis when it arrived in the queue, in ms since the epoch
   */
  public void died(
      Queue queue, Message message, long deadlineMillis, long arrivedMillis, long nowMillis) {
    ExpirySettings settings = queue.settings().expiry();
    if (settings.deadlineNotify() == null || message == null) {
      return;
    }
    BasicProperties properties = message.properties();
    boolean replies = settings.deadlineNotify().equals(ExpirySettings.TO_REPLY_QUEUE);
    String exchange = replies ? "" : settings.deadlineNotify();
    String key = replies ? properties.replyTo() : queue.name();
    if (key == null) {
      return;
    }
    Message notice =
        Message.ofBroker(
            exchange,
            ShortString.of(key),
            told(queue, properties, deadlineMillis, arrivedMillis, nowMillis),
            "deadline over".getBytes(StandardCharsets.US_ASCII));
    DeadLetterPublisher publisher = publishers.of(queue.partition());
    if (replies && vhost.isReplyName(key)) {
      publisher.whenDead(() -> vhost.reply(queue.shard(), key, notice));
      return;
    }
    RoutingTable<Queue> table = vhost.routing();
    Route<Queue> targets =
        table.exchange(exchange) == null
            ? Route.none()
            : table.route(exchange, key, notice::properties);
    if (!targets.isEmpty()) {
      publisher.send(null, notice, targets);
    }
  }

  /** No header has the usual name of a deadline: the notice itself has none. */
  private static BasicProperties told(
      Queue queue, BasicProperties of, long deadlineMillis, long arrivedMillis, long nowMillis) {
    FieldTable.Builder headers =
        FieldTable.builder()
            .put("x-deadline-queue", FieldValue.of(queue.name()))
            .put("x-deadline-over", new FieldValue.Int64(deadlineMillis))
            .put("x-deadline-waited", new FieldValue.Int64(Math.max(0, nowMillis - arrivedMillis)));
    return BasicProperties.builder()
        .type("deadline")
        .correlationId(of.correlationId())
        .messageId(of.messageId())
        .deliveryMode(2)
        .headers(headers.build())
        .build();
  }
}
