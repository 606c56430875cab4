package io.mayflymq.server.management.json;

import static io.mayflymq.server.management.json.Field.Needs.CONTENTS;
import static io.mayflymq.server.management.json.Field.Needs.NOTHING;
import static io.mayflymq.server.management.json.Field.Needs.SIZES;
import static io.mayflymq.server.management.json.Field.Shown.ALONE;
import static io.mayflymq.server.management.json.Field.Shown.ALWAYS;
import static io.mayflymq.server.management.json.Field.Shown.WITH_TOTALS;
import static io.mayflymq.server.management.json.FieldType.COUNT;
import static io.mayflymq.server.management.json.FieldType.FLAG;
import static io.mayflymq.server.management.json.FieldType.NUMBER;
import static io.mayflymq.server.management.json.FieldType.OTHER;
import static io.mayflymq.server.management.json.FieldType.PROCESS;
import static io.mayflymq.server.management.json.FieldType.TABLE;
import static io.mayflymq.server.management.json.FieldType.TEXT;
import static io.mayflymq.server.management.json.FieldType.WORD;
import static io.mayflymq.server.management.json.QueueFields.Gauges.COARSE;
import static io.mayflymq.server.management.json.QueueFields.Gauges.DETAILS;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PauseTtl;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.RetrySettings;
import io.mayflymq.core.policy.RetryType;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.TableJson;
import io.mayflymq.server.management.api.Listing;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The fields of a queue, each described once: its name, its type, how it is read, and in which
 * forms of the object it is. The objects of the HTTP API, the keys that lists are sorted by, the
 * columns of {@code mayflyctl list_queues} and gauges of {@code /metrics} are views of this table,
 * in its order. The fields are those of RabbitMQ's management, and our own.
 *
 * <p>How a field is read decides what it costs to sort a hundred thousand queues by it: any thread
 * may read {@link #of}, {@link #number} needs the sizes that the queue's shard knows, and {@link
 * #content} all that the queue has. Nothing is merged over nodes: the node of a queue knows all of
 * its fields.
 */
public final class QueueFields {
  private static final List<Field<Reading>> FIELDS =
      List.of(
          of("arguments", TABLE, Reading::arguments).in(ALWAYS).column(),
          of("auto_delete", FLAG, queue -> queue.definition().autoDelete()).in(ALWAYS).column(),
          number("consumers", QueueSizes::consumers)
              .gauge(DETAILS, "queue_consumers", "Consumers of queues.")
              .column(),
          of("durable", FLAG, queue -> queue.definition().durable()).in(ALWAYS).column(),
          of("effective_policy_definition", OTHER, queue -> queue.policies().policyDefinition())
              .column(),
          of("exclusive", FLAG, queue -> queue.definition().exclusive()).in(ALWAYS).column(),
          of("internal", FLAG, queue -> false),
          of("internal_owner", FLAG, queue -> false),
          of("lock_renewals", COUNT, queue -> queue.counters().get(Counter.LOCK_RENEWALS)).column(),
          number("memory", sizes -> sizes.memoryBytes().orElse(0)).column(),
          number("message_bytes", sizes -> sizes.totals().bytes())
              .gauge(DETAILS, "queue_messages_bytes", "Body sizes of all messages.")
              .column(),
          number(
                  "message_bytes_delayed",
                  sizes -> sizes.totals().delayedBytes() + sizes.scheduled().readyBytes())
              .column(),
          number("message_bytes_dlx", sizes -> sizes.waiting().bytes()).column(),
          number("message_bytes_persistent", sizes -> sizes.totals().persistentBytes())
              .gauge(
                  DETAILS,
                  "queue_messages_persistent_bytes",
                  "Body sizes of messages that are kept on disk.")
              .column(),
          number("message_bytes_ready", sizes -> sizes.totals().readyBytes())
              .gauge(
                  DETAILS, "queue_messages_ready_bytes", "Body sizes of messages that are ready.")
              .column(),
          number("message_bytes_unacknowledged", sizes -> sizes.totals().unackedBytes())
              .gauge(
                  DETAILS,
                  "queue_messages_unacked_bytes",
                  "Body sizes of messages that are not acknowledged.")
              .column(),
          content("consumer_capacity", NUMBER, Reading::consumerCapacity).column(),
          content("consumer_utilisation", NUMBER, Reading::consumerCapacity).column(),
          content("exclusive_consumer_tag", TEXT, Reading::exclusiveConsumer)
              .nullAlone(type(QueueType.CLASSIC))
              .column(),
          content("fair_shares", NUMBER, Reading::fairShares).column(),
          content("fair_shares_largest", OTHER, Reading::largestShares).in(ALONE),
          content("fair_shares_unread", NUMBER, Reading::unreadShares).in(ALONE),
          content("head_message_timestamp", NUMBER, Reading::headTimestamp)
              .nullAlone(type(QueueType.CLASSIC))
              .column(),
          statistics()
              .rates(
                  "publish",
                  "deliver_get",
                  "ack",
                  "redeliver",
                  "rejected",
                  "expired",
                  "dead_lettered"),
          of("idle_since", TEXT, queue -> Statistics.idleSince(queue.counters())),
          number("messages", QueueSizes::messages)
              .gauge(
                  COARSE,
                  "queue_messages",
                  "Messages that are ready, not acknowledged, or wait in the queue.")
              .in(WITH_TOTALS)
              .column(),
          rate("messages"),
          number("messages_ready", sizes -> sizes.totals().ready())
              .gauge(COARSE, "queue_messages_ready", "Messages that are ready for consumers.")
              .in(WITH_TOTALS)
              .column(),
          rate("messages_ready"),
          number("messages_unacknowledged", sizes -> sizes.totals().unacked())
              .gauge(
                  COARSE,
                  "queue_messages_unacked",
                  "Messages that were delivered and are not acknowledged.")
              .in(WITH_TOTALS)
              .column(),
          rate("messages_unacknowledged"),
          content("messages_active_priorities", NUMBER, Reading::activePriorities),
          content("messages_by_priority", OTHER, Reading::readyByPriority),
          content("messages_ready_returned", NUMBER, Reading::returned),
          number("messages_delayed", QueueSizes::delayed).column(),
          number("messages_dlx", sizes -> sizes.waiting().messages()).column(),
          number("messages_persistent", sizes -> sizes.totals().persistent())
              .gauge(DETAILS, "queue_messages_persistent", "Messages that are kept on disk.")
              .column(),
          number("messages_scheduled", sizes -> sizes.scheduled().ready()),
          number(
                  "messages_unreadable",
                  sizes -> sizes.totals().unreadable() + sizes.scheduled().unreadable())
              .column(),
          of("name", TEXT, queue -> queue.queue.name()).in(ALWAYS).column(),
          of("node", TEXT, queue -> queue.node).in(ALWAYS).column(),
          of("operator_policy", TEXT, queue -> name(queue.policies().operatorPolicy()))
              .nullAlone(queue -> true)
              .column(),
          of("owner_pid_details", OTHER, Reading::owner),
          of("paused", WORD, Reading::pause).column(),
          of("paused_ttl", WORD, Reading::pauseTtl).column(),
          of("pid", PROCESS, queue -> NodeName.pid(0, queue.queue.id())).column(),
          of("policy", TEXT, queue -> name(queue.policies().policy()))
              .nullAlone(queue -> true)
              .column(),
          number("recoverable_bytes", sizes -> sizes.recoverable().readyBytes())
              .gauge(
                  DETAILS,
                  "queue_recoverable_bytes",
                  "Body sizes of messages that have left and can be brought back.")
              .only(type(QueueType.CLASSIC, QueueType.QUORUM))
              .column(),
          number("recoverable_messages", sizes -> sizes.recoverable().ready())
              .gauge(
                  DETAILS,
                  "queue_recoverable_messages",
                  "Messages that have left and can be brought back.")
              .only(type(QueueType.CLASSIC, QueueType.QUORUM))
              .column(),
          of("reductions", NUMBER, queue -> 0),
          of("reductions_details", OTHER, queue -> Erlang.NO_RATE),
          content("single_active_consumer_tag", TEXT, Reading::singleActiveConsumer)
              .nullAlone(type(QueueType.CLASSIC, QueueType.QUORUM))
              .column(),
          of("state", WORD, Reading::state).in(ALWAYS).column(),
          replicas("leader", Reading::leader),
          replicas("members", queue -> queue.nodes(QueueReplicas::members)),
          replicas("online", queue -> queue.nodes(QueueReplicas::online)),
          content("single_active_consumer_ctag", TEXT, Reading::singleActiveConsumer)
              .only(type(QueueType.QUORUM)),
          of("type", WORD, queue -> queue.type().wireName()).in(ALWAYS).column(),
          of("vhost", TEXT, queue -> queue.queue.vhost().name()).in(ALWAYS),
          content("consumer_details", OTHER, Reading::consumers).in(ALONE),
          of("deliveries", OTHER, queue -> List.of()).in(ALONE),
          of("incoming", OTHER, queue -> List.of()).in(ALONE),
          content("lease_ends_at", NUMBER, Reading::leaseEnd).in(ALONE),
          of("garbage_collection", OTHER, queue -> Erlang.GARBAGE_COLLECTION).in(ALONE),
          number("messages_ram", sizes -> sizes.totals().messages() - sizes.totals().persistent())
              .gauge(DETAILS, "queue_messages_ram", "Messages that are kept in memory only.")
              .only(type(QueueType.CLASSIC, QueueType.QUORUM))
              .in(ALONE)
              .column(),
          number(
                  "message_bytes_ram",
                  sizes -> sizes.totals().bytes() - sizes.totals().persistentBytes())
              .gauge(
                  DETAILS,
                  "queue_messages_ram_bytes",
                  "Body sizes of messages that are kept in memory only.")
              .only(type(QueueType.CLASSIC, QueueType.QUORUM))
              .in(ALONE)
              .column(),
          of("storage_version", NUMBER, queue -> 2).only(type(QueueType.CLASSIC)),
          of("delivery_limit", OTHER, Reading::deliveryLimit)
              .only(type(QueueType.QUORUM))
              .in(ALONE),
          of("delayed_retry", TEXT, Reading::delayedRetry).only(type(QueueType.QUORUM)).in(ALONE),
          content("readers", OTHER, queue -> Map.of(queue.node, queue.sizes.consumers()))
              .only(type(QueueType.STREAM))
              .in(ALONE));

  private static final Map<String, Field<Reading>> BY_NAME =
      FIELDS.stream().collect(Collectors.toUnmodifiableMap(Field::name, field -> field));

  private static final Map<String, ToLongFunction<QueueSizes>> NUMBERS =
      NumberField.numbers(FIELDS);

  private static final List<Field<Reading>> BASICS =
      FIELDS.stream().filter(field -> field.shown() == ALWAYS).toList();

  private static final List<Field<Reading>> TOTALS =
      FIELDS.stream().filter(field -> field.shown() == WITH_TOTALS).toList();

  private static final List<Field<Reading>> LISTED = Field.listed(FIELDS);

  private QueueFields() {}

  /** A field that any thread may read. */
  private static Field<Reading> of(String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, NOTHING, read);
  }

  /** A number that is among the sizes of a queue. */
  private static NumberField<Reading, QueueSizes> number(
      String name, ToLongFunction<QueueSizes> read) {
    return new NumberField<>(name, SIZES, queue -> queue.sizes, read);
  }

  /** A field that needs all that a queue has. */
  private static Field<Reading> content(
      String name, FieldType type, Function<Reading, Object> read) {
    return new Field<>(name, type, CONTENTS, read);
  }

  /** The rate at which a number of messages changes, and its samples. */
  private static Field<Reading> rate(String number) {
    String name = number + "_details";
    return content(name, OTHER, queue -> queue.lengths().get(name));
  }

  /** The statistics, each death of which is a column. */
  private static Field<Reading> statistics() {
    Field<Reading> statistics =
        of("message_stats", OTHER, queue -> Statistics.ofQueue(queue.counters(), queue.history));
    Statistics.deathNames().forEach(death -> statistics.column(death, death, FieldType.COUNT));
    return statistics;
  }

  /** A field of a queue that has replicas, or could have them. */
  private static Field<Reading> replicas(String name, Function<Reading, Object> read) {
    return of(name, OTHER, read)
        .only(queue -> queue.replicas() != null || queue.type() != QueueType.CLASSIC);
  }

  private static Predicate<Reading> type(QueueType... types) {
    return queue -> Arrays.asList(types).contains(queue.type());
  }

  private static String name(Optional<Policy> policy) {
    return policy.map(Policy::name).orElse(null);
  }

  /** Returns a queue as it is shown in lists. */
  public static Map<String, Object> listed(QueueSnapshot queue, History history) {
    return Field.object(LISTED, Reading.of(queue, history, 0), false);
  }

  /**
   * Returns a single queue, with its consumers.
   *
   * @param consumerTimeoutMillis see {@link ConsumerFields#of}
   */
  public static Map<String, Object> alone(
      QueueSnapshot queue, History history, long consumerTimeoutMillis) {
    return Field.object(FIELDS, Reading.of(queue, history, consumerTimeoutMillis), true);
  }

  /** Returns a queue with its messages, but without statistics: {@code enable_queue_totals}. */
  public static Map<String, Object> totals(QueueSnapshot queue) {
    Map<String, Object> object = basics(queue);
    object.putAll(Field.object(TOTALS, Reading.of(queue, History.NONE, 0), false));
    return object;
  }

  /** Returns what a queue is, without statistics: {@code disable_stats}. */
  public static Map<String, Object> basics(QueueSnapshot queue) {
    return Field.object(BASICS, Reading.of(queue.queue()), false);
  }

  /** Returns what is known of a queue whose node does not answer. */
  public static Map<String, Object> down(Queue queue) {
    Reading known = new Reading(queue, queue.home().node(), null, null, History.NONE, 0);
    Map<String, Object> object = Field.object(BASICS, known, false);
    QueueReplicas replicas = queue.replicas();
    object.put("state", replicas == null || replicas.isLed() ? "down" : replicas.state());
    if (replicas != null) {
      Stream.of("leader", "members", "online")
          .forEach(field -> BY_NAME.get(field).put(object, known, false));
    }
    return object;
  }

  /** Returns the columns of {@code list_queues}. */
  public static List<FieldColumn> columns() {
    return Field.columns(FIELDS);
  }

  /**
   * Returns how queues are sorted by a field of lists.
   *
   * @param path such as {@code message_stats.publish_details.rate}
   */
  public static SortKey sortKey(String path) {
    Function<Counters, Object> rate = Statistics.rateOfQueue(path);
    if (rate != null) {
      return new SortKey(NOTHING, queue -> rate.apply(queue.counters()), null);
    }
    int dot = path.indexOf('.');
    Field<Reading> field = BY_NAME.get(dot < 0 ? path : path.substring(0, dot));
    if (field == null || field.shown() == ALONE) {
      return new SortKey(NOTHING, queue -> null, null);
    }
    if (dot < 0) {
      return new SortKey(field.needs(), field::of, NUMBERS.get(path));
    }
    return new SortKey(
        field.needs(),
        queue ->
            field.of(queue) instanceof Map<?, ?> object
                ? Listing.field(object, path.substring(dot + 1))
                : null,
        null);
  }

  /** A field by which queues are sorted. It reads no more of a queue than that field needs. */
  public static final class SortKey {
    private final Field.Needs needs;
    private final Function<Reading, Object> read;
    private final ToLongFunction<QueueSizes> number;

    /**
     * @param number reads it from sizes alone; null if it needs more
     */
    private SortKey(
        Field.Needs needs, Function<Reading, Object> read, ToLongFunction<QueueSizes> number) {
      this.needs = needs;
      this.read = read;
      this.number = number;
    }

    /** Returns whether it is among the sizes of a queue. */
    public boolean isNumber() {
      return number != null;
    }

    /** Returns whether only the shard of a queue can read it. */
    public boolean needsShard() {
      return needs != NOTHING;
    }

    /** Returns it for a queue if it does not need the shard. */
    public Object of(Queue queue) {
      return read.apply(Reading.of(queue));
    }

    /** Returns it for a queue of this shard, within a burst; null if that is deleted. */
    public Object onShard(Queue queue) {
      if (number != null) {
        QueueSizes sizes = QueueSnapshot.sizes(queue);
        return sizes == null ? null : (Object) number.applyAsLong(sizes);
      }
      QueueSnapshot snapshot = QueueSnapshot.of(queue);
      return snapshot == null ? null : of(snapshot);
    }

    /** Returns it for what a queue had. */
    public Object of(QueueSnapshot queue) {
      return read.apply(Reading.of(queue, History.NONE, 0));
    }
  }

  /** Returns the fields that are among the sizes of a queue. */
  public static Map<String, ToLongFunction<QueueSizes>> numbers() {
    return NUMBERS;
  }

  /** The families that RabbitMQ has gauges of queues in. */
  public enum Gauges {
    /** {@code queue_coarse_metrics}. */
    COARSE,
    /** {@code queue_metrics}. */
    DETAILS
  }

  /** Returns the gauges of a family, for a queue or for the sum of several. */
  public static List<FieldGauge<QueueSizes>> gauges(Gauges family) {
    return NumberField.gauges(FIELDS, family);
  }

  /** A queue as its fields are read; as much of it as they need. For one thread. */
  private static final class Reading {
    private final Queue queue;
    private final String node;
    private final QueueSizes sizes;
    private final QueueContents contents;
    private final History history;
    private final long consumerTimeoutMillis;
    private QueueReplicas replicas;
    private EffectiveSettings policies;
    private Map<String, Object> lengths;

    Reading(
        Queue queue,
        String node,
        QueueSizes sizes,
        QueueContents contents,
        History history,
        long consumerTimeoutMillis) {
      this.queue = queue;
      this.node = node;
      this.sizes = sizes;
      this.contents = contents;
      this.history = history;
      this.consumerTimeoutMillis = consumerTimeoutMillis;
    }

    static Reading of(QueueSnapshot queue, History history, long consumerTimeoutMillis) {
      return new Reading(
          queue.queue(),
          NodeName.value(),
          queue.contents().sizes(),
          queue.contents(),
          history,
          consumerTimeoutMillis);
    }

    static Reading of(Queue queue) {
      return new Reading(queue, NodeName.value(), null, null, History.NONE, 0);
    }

    QueueDefinition definition() {
      return queue.definition();
    }

    QueueType type() {
      return definition().settings().type();
    }

    Counters counters() {
      return queue.counters();
    }

    QueueReplicas replicas() {
      if (replicas == null) {
        replicas = queue.replicas();
      }
      return replicas;
    }

    EffectiveSettings policies() {
      if (policies == null) {
        policies = queue.vhost().byPolicies(definition());
      }
      return policies;
    }

    /** Returns the numbers of messages, with how they change. */
    Map<String, Object> lengths() {
      if (lengths == null) {
        lengths = new LinkedHashMap<>();
        Statistics.putMessages(lengths, sizes, counters(), history);
      }
      return lengths;
    }

    /** Returns the arguments, always with the type of the queue. */
    Object arguments() {
      Map<String, Object> arguments = TableJson.SHOWN.of(definition().arguments());
      arguments.putIfAbsent(QueueType.ARGUMENT, type().wireName());
      return arguments;
    }

    /** A stream has none. */
    Object consumerCapacity() {
      double capacity = contents.consumerCapacity();
      return Double.isNaN(capacity) ? null : capacity;
    }

    Object exclusiveConsumer() {
      return tagOfFirst(member -> member.consumer().exclusive());
    }

    Object singleActiveConsumer() {
      return definition().settings().singleActiveConsumer()
          ? tagOfFirst(QueueContents.Member::active)
          : null;
    }

    private String tagOfFirst(Predicate<QueueContents.Member> wanted) {
      for (QueueContents.Member member : contents.consumers()) {
        if (wanted.test(member)) {
          return member.consumer().tag().value();
        }
      }
      return null;
    }

    /** Returns the timestamp of the publisher in seconds since 1970. */
    Object headTimestamp() {
      Message head = contents.head();
      return head == null ? null : head.properties().timestamp();
    }

    Object activePriorities() {
      PriorityCounts priorities = contents.priorities();
      return priorities == null ? null : priorities.ready().size();
    }

    Object readyByPriority() {
      if (contents.priorities() == null) {
        return null;
      }
      Map<String, Object> ready = new LinkedHashMap<>();
      contents
          .priorities()
          .ready()
          .forEach((priority, count) -> ready.put(priority.toString(), count));
      return ready;
    }

    Object fairShares() {
      FairShareCounts shares = contents.shares();
      return shares == null ? null : shares.shares();
    }

    /** Returns those with the most ready messages, the largest first. */
    Object largestShares() {
      return contents.shares() == null
          ? null
          : contents.shares().largest().stream()
              .map(
                  share -> {
                    Map<String, Object> object = new LinkedHashMap<>();
                    object.put("value", share.value());
                    object.put("messages_ready", share.ready());
                    return object;
                  })
              .toList();
    }

    Object unreadShares() {
      FairShareCounts shares = contents.shares();
      return shares == null ? null : shares.unread();
    }

    Object returned() {
      PriorityCounts priorities = contents.priorities();
      return priorities == null ? null : priorities.returned();
    }

    Object owner() {
      return queue.owner() instanceof ConnectionIdentity owner
          ? ConnectionFields.details(owner)
          : null;
    }

    String state() {
      return replicas() == null ? "running" : replicas().state();
    }

    Object leader() {
      if (replicas() == null) {
        return node;
      }
      return replicas().isLed() ? replicas().leader() : Field.NULL;
    }

    List<?> nodes(Function<QueueReplicas, List<?>> wanted) {
      return replicas() == null ? List.of(node) : wanted.apply(replicas());
    }

    Object consumers() {
      return contents.consumers().stream()
          .map(member -> ConsumerFields.of(queue, member, consumerTimeoutMillis))
          .toList();
    }

    Object leaseEnd() {
      long end = contents.leaseEndMillis();
      return end == Deadlines.NEVER ? null : end;
    }

    Object deliveryLimit() {
      long limit = queue.settings().deliveries().limit();
      return limit == QueueSettings.NONE ? "unlimited" : (Object) limit;
    }

    /** Only while it matters. */
    Object pauseTtl() {
      return queue.settings().pace().stopsTtl() ? PauseTtl.STOP.word() : null;
    }

    Object pause() {
      Pause pause = queue.settings().pace().pause();
      return pause == null ? null : pause.word();
    }

    Object delayedRetry() {
      RetrySettings retry = queue.settings().deliveries().retry();
      String type = retry.type().name().toLowerCase(Locale.ROOT);
      if (retry.type() == RetryType.DISABLED) {
        return type;
      }
      String most =
          retry.maxMillis() == QueueSettings.NONE ? "unlimited" : retry.maxMillis() + "ms";
      return "%s (min: %dms, max: %s)".formatted(type, retry.minMillis(), most);
    }
  }
}
