package io.mayflymq.server.management.json;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.TableJson;
import java.util.Map;

/** Consumers as RabbitMQ's management shows them. */
public final class ConsumerJson {
  private ConsumerJson() {}

  /**
   * Returns a consumer of a queue.
   *
   * @param defaultTimeoutMillis how long a delivery may stay unacknowledged if neither the consumer
   *     nor the queue says it
   */
  public static Map<String, Object> of(
      Queue queue, QueueContents.Member member, long defaultTimeoutMillis) {
    Consumer consumer = member.consumer();
    Map<String, Object> object =
        Json.object(
            "arguments", TableJson.SHOWN.of(consumer.arguments()),
            "ack_required", consumer.acknowledges(),
            "active", member.active(),
            "activity_status", activity(queue, member),
            "consumer_tag", consumer.tag().value(),
            "consumer_timeout", timeout(queue, consumer, defaultTimeoutMillis),
            "exclusive", consumer.exclusive(),
            "messages_unacknowledged", member.unacked(),
            "prefetch_count", consumer.prefetch(),
            "queue", Json.object("name", queue.name(), "vhost", queue.vhost().name()));
    ConsumerOrigin channel = consumer.outlet().origin();
    if (channel != null) {
      Map<String, Object> details = channelDetails(channel);
      ConnectionJson.putGivenName(details, consumer.outlet().clientName());
      object.put("channel_details", details);
    }
    return object;
  }

  private static String activity(Queue queue, QueueContents.Member member) {
    if (!member.active()) {
      return "waiting";
    }
    return queue.definition().settings().singleActiveConsumer() ? "single_active" : "up";
  }

  private static long timeout(Queue queue, Consumer consumer, long defaultMillis) {
    long millis = consumer.timeoutMillis(queue.settings());
    return millis == QueueSettings.NONE ? defaultMillis : millis;
  }

  private static Map<String, Object> channelDetails(ConsumerOrigin channel) {
    return Json.object(
        "connection_name", channel.connection(),
        "name", "%s (%d)".formatted(channel.connection(), channel.channel()),
        "node", channel.node(),
        "number", channel.channel(),
        "peer_host", channel.peerHost(),
        "peer_port", channel.peerPort(),
        "pid", channel.pid(),
        "user", channel.user());
  }
}
