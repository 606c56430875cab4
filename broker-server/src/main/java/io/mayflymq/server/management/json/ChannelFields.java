package io.mayflymq.server.management.json;

import static io.mayflymq.server.management.json.Field.Needs.NOTHING;
import static io.mayflymq.server.management.json.Field.Shown.ALONE;
import static io.mayflymq.server.management.json.FieldType.FLAG;
import static io.mayflymq.server.management.json.FieldType.NUMBER;
import static io.mayflymq.server.management.json.FieldType.OTHER;
import static io.mayflymq.server.management.json.FieldType.PROCESS;
import static io.mayflymq.server.management.json.FieldType.TEXT;
import static io.mayflymq.server.management.json.FieldType.WORD;

import io.mayflymq.core.metrics.Counters;
import io.mayflymq.server.channel.ChannelIdentity;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The fields of a channel, each described once, as {@link QueueFields} has those of a queue.
 * Nothing is merged over nodes: a channel is on one.
 */
public final class ChannelFields {
  /** The families of gauges. */
  private enum Gauges {
    ALL
  }

  /** A channel as its fields are read. */
  private record Reading(ChannelView view, History history) {
    ChannelIdentity identity() {
      return view.identity();
    }

    ConnectionIdentity connection() {
      return view.identity().connection();
    }

    List<Map<String, Object>> shares(String kind, Map<String, Counters> counts) {
      return counts.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .map(
              share ->
                  Json.object(
                      kind,
                      Json.object("name", share.getKey(), "vhost", connection().vhost()),
                      "stats",
                      Statistics.ofChannel(share.getValue(), History.NONE)))
          .toList();
    }
  }

  private static final List<Field<Reading>> FIELDS =
      List.of(
          number("acks_uncommitted", ChannelView::uncommittedAcks)
              .gauge(
                  Gauges.ALL,
                  "channel_acks_uncommitted",
                  "Acknowledgements that wait for the commit of a transaction.")
              .column(),
          of("confirm", FLAG, channel -> channel.view.confirm()).column(),
          of(
              "connection_details",
              OTHER,
              channel -> ConnectionFields.details(channel.connection())),
          number("consumer_count", ChannelView::consumers)
              .gauge(Gauges.ALL, "channel_consumers", "Consumers of channels.")
              .column(),
          number("global_prefetch_count", ChannelView::globalPrefetch)
              .gauge(
                  Gauges.ALL,
                  "channel_prefetch",
                  "Prefetch limit of all consumers of a channel together.")
              .column(),
          of(
                  "message_stats",
                  OTHER,
                  channel -> Statistics.ofChannel(channel.view.counters(), channel.history))
              .rates("publish", "deliver_get", "ack"),
          of("idle_since", TEXT, channel -> Statistics.idleSince(channel.view.counters())),
          of("reductions", NUMBER, channel -> 0),
          of("reductions_details", OTHER, channel -> Erlang.NO_RATE),
          of("garbage_collection", OTHER, channel -> Erlang.GARBAGE_COLLECTION),
          of("cached_segments", NUMBER, channel -> 0),
          of("pending_raft_commands", NUMBER, channel -> 0),
          number("messages_unacknowledged", ChannelView::unacked)
              .gauge(
                  Gauges.ALL,
                  "channel_messages_unacked",
                  "Messages that were delivered and are not acknowledged.")
              .column(),
          number("messages_uncommitted", ChannelView::uncommitted)
              .gauge(
                  Gauges.ALL,
                  "channel_messages_uncommitted",
                  "Messages that wait for the commit of a transaction.")
              .column(),
          number("messages_unconfirmed", ChannelView::unconfirmed)
              .gauge(
                  Gauges.ALL,
                  "channel_messages_unconfirmed",
                  "Messages that were published and are not confirmed.")
              .column(),
          of("name", TEXT, channel -> channel.identity().name()).column(),
          of("node", TEXT, channel -> NodeName.value()).column(),
          of("number", NUMBER, channel -> channel.identity().number()).column(),
          of("pid", PROCESS, channel -> channel.identity().pid()).column(),
          number("prefetch_count", ChannelView::prefetch)
              .gauge(
                  Gauges.ALL,
                  "consumer_prefetch",
                  "Prefetch limit of the next consumer of a channel.")
              .column(),
          of("state", WORD, channel -> "running").column(),
          of("transactional", FLAG, channel -> channel.view.transactional()).column(),
          of("user", TEXT, channel -> channel.connection().user()).column(),
          of("user_who_performed_action", TEXT, channel -> channel.connection().user()),
          of("vhost", TEXT, channel -> channel.connection().vhost()).column(),
          of("publishes", OTHER, channel -> channel.shares("exchange", channel.view.exchanges()))
              .in(ALONE),
          of("deliveries", OTHER, channel -> channel.shares("queue", channel.view.queues()))
              .in(ALONE));

  private static final List<Field<Reading>> LISTED = Field.listed(FIELDS);

  private ChannelFields() {}

  private static Field<Reading> of(String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, NOTHING, read);
  }

  private static NumberField<Reading, ChannelView> number(
      String name, ToLongFunction<ChannelView> read) {
    return new NumberField<>(name, NOTHING, Reading::view, read);
  }

  /** Returns a channel as it is shown in lists. */
  public static Map<String, Object> listed(ChannelView channel) {
    return Field.object(LISTED, new Reading(channel, History.NONE), false);
  }

  /** Returns a single channel, with what it did by exchange and by queue. */
  public static Map<String, Object> alone(ChannelView channel, History history) {
    return Field.object(FIELDS, new Reading(channel, history), true);
  }

  /** Returns the columns of {@code list_channels}. */
  public static List<FieldColumn> columns() {
    return Field.columns(FIELDS);
  }

  /** Returns the gauges of {@code channel_metrics}. */
  public static List<FieldGauge<ChannelView>> gauges() {
    return NumberField.gauges(FIELDS, Gauges.ALL);
  }
}
