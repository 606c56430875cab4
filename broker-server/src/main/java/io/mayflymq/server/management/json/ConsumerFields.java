package io.mayflymq.server.management.json;

import static io.mayflymq.server.management.json.Field.Needs.NOTHING;
import static io.mayflymq.server.management.json.FieldType.FLAG;
import static io.mayflymq.server.management.json.FieldType.NUMBER;
import static io.mayflymq.server.management.json.FieldType.OTHER;
import static io.mayflymq.server.management.json.FieldType.PROCESS;
import static io.mayflymq.server.management.json.FieldType.TABLE;
import static io.mayflymq.server.management.json.FieldType.TEXT;
import static io.mayflymq.server.management.json.FieldType.WORD;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.TableJson;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The fields of a consumer, each described once, as {@link QueueFields} has those of a queue.
 * Nothing is merged over nodes: a consumer is where its queue is.
 */
public final class ConsumerFields {
  /** A consumer as its fields are read. */
  private record Reading(Queue queue, QueueContents.Member member, long defaultTimeoutMillis) {
    Consumer consumer() {
      return member.consumer();
    }

    String activity() {
      if (!member.active()) {
        return "waiting";
      }
      return queue.definition().settings().singleActiveConsumer() ? "single_active" : "up";
    }

    long timeoutMillis() {
      long millis = consumer().timeoutMillis(queue.settings());
      return millis == QueueSettings.NONE ? defaultTimeoutMillis : millis;
    }

    /** Returns its channel; null for one of another node that tells nothing of it. */
    Object channel() {
      ConsumerOrigin channel = consumer().outlet().origin();
      if (channel == null) {
        return null;
      }
      Map<String, Object> details =
          Json.object(
              "connection_name", channel.connection(),
              "name", "%s (%d)".formatted(channel.connection(), channel.channel()),
              "node", channel.node(),
              "number", channel.channel(),
              "peer_host", channel.peerHost(),
              "peer_port", channel.peerPort(),
              "pid", channel.pid(),
              "user", channel.user());
      String givenName = consumer().outlet().clientName();
      if (!givenName.isEmpty()) {
        details.put("user_provided_name", givenName);
      }
      return details;
    }
  }

  private static final List<Field<Reading>> FIELDS =
      List.of(
          of("arguments", TABLE, each -> TableJson.SHOWN.of(each.consumer().arguments())).column(),
          of("ack_required", FLAG, each -> each.consumer().acknowledges()).column(),
          of("active", FLAG, each -> each.member.active()).column(),
          of("activity_status", WORD, Reading::activity).column(),
          of("consumer_tag", TEXT, each -> each.consumer().tag().value()).column(),
          of("consumer_timeout", NUMBER, Reading::timeoutMillis),
          of("exclusive", FLAG, each -> each.consumer().exclusive()),
          of("messages_unacknowledged", NUMBER, each -> each.member.unacked()).column(),
          of("deliver_rate", NUMBER, each -> each.member.rates().deliver()).column(),
          of("ack_rate", NUMBER, each -> each.member.rates().ack()).column(),
          of("prefetch_count", NUMBER, each -> each.consumer().prefetch()).column(),
          of(
                  "queue",
                  OTHER,
                  each ->
                      Json.object("name", each.queue.name(), "vhost", each.queue.vhost().name()))
              .column("queue_name", "name", TEXT),
          of("channel_details", OTHER, Reading::channel)
              .column("channel_pid", "pid", PROCESS)
              .column("connection_name", "connection_name", TEXT)
              .column("user", "user", TEXT));

  private ConsumerFields() {}

  private static Field<Reading> of(String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, NOTHING, read);
  }

  /**
   * Returns a consumer of a queue.
   *
   * @param defaultTimeoutMillis how long a delivery may stay unacknowledged if neither the consumer
   *     nor the queue says it
   */
  public static Map<String, Object> of(
      Queue queue, QueueContents.Member member, long defaultTimeoutMillis) {
    return Field.object(FIELDS, new Reading(queue, member, defaultTimeoutMillis), false);
  }

  /** Returns the columns of {@code list_consumers}. */
  public static List<FieldColumn> columns() {
    return Field.columns(FIELDS);
  }
}
