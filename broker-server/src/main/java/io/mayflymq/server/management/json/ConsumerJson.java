package io.mayflymq.server.management.json;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.RetrySettings;
import io.mayflymq.core.policy.RetryType;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueReplicas;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.TableJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Queues and their consumers as RabbitMQ's management shows them. */
public final class QueueJson {
  /**
   * The fields of a queue that lists are often sorted by. Making the whole object of each of a
   * hundred thousand queues for one of its fields takes seconds.
   */
  public static final Map<String, Function<QueueSnapshot, Object>> SORT_KEYS =
      Map.of(
          "memory", view -> view.contents().memoryBytes().orElse(0),
          "messages", QueueSnapshot::messages,
          "messages_ready", view -> view.totals().ready(),
          "messages_unacknowledged", view -> view.totals().unacked(),
          "message_bytes", view -> view.totals().bytes(),
          "consumers", view -> view.consumers().size(),
          "type", view -> view.queue().definition().settings().type().wireName(),
          "message_stats.publish_details.rate",
              view -> view.queue().counters().rate(Counter.PUBLISHED),
          "message_stats.deliver_get_details.rate",
              view -> Statistics.deliverGetRate(view.queue().counters()),
          "message_stats.ack_details.rate", view -> view.queue().counters().rate(Counter.ACKED));

  /** Those of them that are numbers of a queue, for a queue whose numbers alone were read. */
  public static final Map<String, ToLongFunction<QueueSizes>> SORT_KEYS_OF_SIZES =
      Map.of(
          "messages", QueueSizes::messages,
          "messages_ready", sizes -> sizes.totals().ready(),
          "messages_unacknowledged", sizes -> sizes.totals().unacked(),
          "messages_persistent", sizes -> sizes.totals().persistent(),
          "message_bytes", sizes -> sizes.totals().bytes(),
          "message_bytes_ready", sizes -> sizes.totals().readyBytes(),
          "message_bytes_unacknowledged", sizes -> sizes.totals().unackedBytes(),
          "consumers", QueueSizes::consumers,
          "memory", sizes -> sizes.memoryBytes().orElse(0));

  /** Those that any thread may read. */
  public static final Map<String, Function<Queue, Object>> SORT_KEYS_OF_QUEUES =
      Map.of(
          "vhost", queue -> queue.vhost().name(),
          "type", queue -> queue.definition().settings().type().wireName(),
          "message_stats.publish_details.rate", queue -> queue.counters().rate(Counter.PUBLISHED),
          "message_stats.deliver_get_details.rate",
              queue -> Statistics.deliverGetRate(queue.counters()),
          "message_stats.ack_details.rate", queue -> queue.counters().rate(Counter.ACKED));

  /** What is null in a single queue where it is absent; lists leave it out, as those of 4.3.6. */
  private static final List<String> NULL_IN_ALL = List.of("operator_policy", "policy");

  private static final List<String> NULL_IN_CLASSIC =
      List.of("exclusive_consumer_tag", "head_message_timestamp");

  private static final String SINGLE_ACTIVE = "single_active_consumer_tag";

  private QueueJson() {}

  /** Returns a queue as it is shown in lists. */
  public static Map<String, Object> summary(QueueSnapshot view, History history) {
    Queue queue = view.queue();
    QueueDefinition definition = queue.definition();
    EffectiveSettings policies = byPolicies(queue);
    Map<String, Object> object =
        Json.object(
            "arguments", arguments(definition),
            "auto_delete", definition.autoDelete(),
            "consumers", view.consumers().size(),
            "durable", definition.durable(),
            "effective_policy_definition", policies.policyDefinition(),
            "exclusive", definition.exclusive(),
            "internal", false,
            "internal_owner", false,
            "memory", view.contents().memoryBytes().orElse(0),
            "message_bytes", view.totals().bytes(),
            "message_bytes_delayed", view.totals().delayedBytes() + view.scheduled().readyBytes(),
            "message_bytes_dlx", view.waiting().bytes(),
            "message_bytes_persistent", view.totals().persistentBytes(),
            "message_bytes_ready", view.totals().readyBytes(),
            "message_bytes_unacknowledged", view.totals().unackedBytes());
    putCapacity(object, view.contents().consumerCapacity());
    putUnlessNull(object, "exclusive_consumer_tag", tagOfFirst(view, Consumer::exclusive));
    putUnlessNull(object, "head_message_timestamp", timestampOf(view.head()));
    Map<String, Object> stats = Statistics.ofQueue(queue.counters(), history);
    if (stats != null) {
      object.put("message_stats", stats);
    }
    Statistics.putIdleSince(object, queue.counters());
    Statistics.putMessages(
        object,
        new Statistics.Lengths(view.messages(), view.totals().ready(), view.totals().unacked()),
        queue.counters(),
        history);
    putPriorities(object, view.contents().priorities());
    object.put("messages_delayed", delayed(view));
    object.put("messages_dlx", view.waiting().messages());
    object.put("messages_persistent", view.totals().persistent());
    object.put("messages_scheduled", view.scheduled().ready());
    object.put("messages_unreadable", view.totals().unreadable() + view.scheduled().unreadable());
    object.put("name", queue.name());
    object.put("node", NodeName.value());
    policies.operatorPolicy().ifPresent(policy -> object.put("operator_policy", policy.name()));
    if (queue.owner() instanceof ConnectionIdentity owner) {
      object.put("owner_pid_details", ConnectionJson.details(owner));
    }
    object.put("pid", NodeName.pid(0, queue.id()));
    policies.policy().ifPresent(policy -> object.put("policy", policy.name()));
    Erlang.putReductions(object);
    String active = singleActive(view);
    putUnlessNull(object, SINGLE_ACTIVE, active);
    object.put("state", stateHere(queue));
    putReplicas(object, queue, NodeName.value());
    if (definition.settings().type() == QueueType.QUORUM) {
      putUnlessNull(object, "single_active_consumer_ctag", active);
    }
    object.put("type", definition.settings().type().wireName());
    object.put("vhost", queue.vhost().name());
    return object;
  }

  /** Returns how many messages wait for a retry, or for their time. */
  public static long delayed(QueueSnapshot view) {
    return view.totals().delayed() + view.scheduled().ready();
  }

  private static void putPriorities(Map<String, Object> object, PriorityCounts priorities) {
    if (priorities != null) {
      Map<String, Object> ready = new LinkedHashMap<>();
      priorities.ready().forEach((priority, count) -> ready.put(priority.toString(), count));
      object.put("messages_active_priorities", ready.size());
      object.put("messages_by_priority", ready);
      object.put("messages_ready_returned", priorities.returned());
    }
  }

  /** Returns a queue with its messages, but without statistics: {@code enable_queue_totals}. */
  public static Map<String, Object> totals(QueueSnapshot view) {
    Map<String, Object> object = basics(view);
    object.put("messages", view.messages());
    object.put("messages_ready", view.totals().ready());
    object.put("messages_unacknowledged", view.totals().unacked());
    return object;
  }

  /** Returns what a queue is, without statistics: {@code disable_stats}. */
  public static Map<String, Object> basics(QueueSnapshot view) {
    return basics(view.queue(), NodeName.value(), stateHere(view.queue()));
  }

  /** Returns what is known of a queue whose node does not answer. */
  public static Map<String, Object> down(Queue queue) {
    QueueReplicas replicas = queue.replicas();
    String state = replicas == null || replicas.isLed() ? "down" : replicas.state();
    Map<String, Object> object = basics(queue, queue.home().node(), state);
    if (replicas != null) {
      putReplicas(object, queue, queue.home().node());
    }
    return object;
  }

  private static String stateHere(Queue queue) {
    QueueReplicas replicas = queue.replicas();
    return replicas == null ? "running" : replicas.state();
  }

  /** Adds the nodes of a queue that has, or could have, replicas. */
  private static void putReplicas(Map<String, Object> object, Queue queue, String node) {
    QueueReplicas replicas = queue.replicas();
    if (replicas != null) {
      object.put("leader", replicas.isLed() ? replicas.leader() : null);
      object.put("members", replicas.members());
      object.put("online", replicas.online());
    } else if (queue.definition().settings().type() != QueueType.CLASSIC) {
      object.put("leader", node);
      object.put("members", List.of(node));
      object.put("online", List.of(node));
    }
  }

  private static Map<String, Object> basics(Queue queue, String node, String state) {
    QueueDefinition definition = queue.definition();
    return Json.object(
        "arguments", arguments(definition),
        "auto_delete", definition.autoDelete(),
        "durable", definition.durable(),
        "exclusive", definition.exclusive(),
        "name", queue.name(),
        "node", node,
        "state", state,
        "type", definition.settings().type().wireName(),
        "vhost", queue.vhost().name());
  }

  /** Returns the arguments, always with the type of the queue. */
  private static Map<String, Object> arguments(QueueDefinition definition) {
    Map<String, Object> arguments = TableJson.SHOWN.of(definition.arguments());
    arguments.putIfAbsent(QueueType.ARGUMENT, definition.settings().type().wireName());
    return arguments;
  }

  /** A stream has none. */
  private static void putCapacity(Map<String, Object> object, double capacity) {
    if (!Double.isNaN(capacity)) {
      object.put("consumer_capacity", capacity);
      object.put("consumer_utilisation", capacity);
    }
  }

  private static void putUnlessNull(Map<String, Object> object, String key, Object value) {
    if (value != null) {
      object.put(key, value);
    }
  }

  /**
   * Returns a single queue, with its consumers.
   *
   * @param defaultTimeoutMillis see {@link #consumer}
   */
  public static Map<String, Object> detail(
      QueueSnapshot view, History history, long defaultTimeoutMillis) {
    Map<String, Object> object = summary(view, history);
    object.put(
        "consumer_details",
        view.consumers().stream()
            .map(member -> consumer(view, member, defaultTimeoutMillis))
            .toList());
    object.put("deliveries", List.of());
    object.put("incoming", List.of());
    long leaseEnd = view.leaseEndMillis();
    if (leaseEnd != Deadlines.NEVER) {
      object.put("lease_ends_at", leaseEnd);
    }
    Erlang.putGarbageCollection(object);
    putDetailsOfType(object, view);
    NULL_IN_ALL.forEach(key -> object.putIfAbsent(key, null));
    return object;
  }

  /** Adds what a single queue of each type shows in RabbitMQ. */
  private static void putDetailsOfType(Map<String, Object> object, QueueSnapshot view) {
    QueueSettings settings = view.queue().settings();
    long inMemory = view.totals().messages() - view.totals().persistent();
    long inMemoryBytes = view.totals().bytes() - view.totals().persistentBytes();
    switch (settings.type()) {
      case CLASSIC -> {
        NULL_IN_CLASSIC.forEach(key -> object.putIfAbsent(key, null));
        object.putIfAbsent(SINGLE_ACTIVE, null);
        object.put("messages_ram", inMemory);
        object.put("message_bytes_ram", inMemoryBytes);
        object.put("storage_version", 2);
      }
      case QUORUM -> {
        object.putIfAbsent(SINGLE_ACTIVE, null);
        object.put("messages_ram", inMemory);
        object.put("message_bytes_ram", inMemoryBytes);
        long limit = settings.deliveries().limit();
        object.put("delivery_limit", limit == QueueSettings.NONE ? "unlimited" : (Object) limit);
        object.put("delayed_retry", described(settings.deliveries().retry()));
      }
      case STREAM -> object.put("readers", Map.of(NodeName.value(), view.consumers().size()));
    }
  }

  private static String described(RetrySettings retry) {
    String type = retry.type().name().toLowerCase(Locale.ROOT);
    if (retry.type() == RetryType.DISABLED) {
      return type;
    }
    String most = retry.maxMillis() == QueueSettings.NONE ? "unlimited" : retry.maxMillis() + "ms";
    return "%s (min: %dms, max: %s)".formatted(type, retry.minMillis(), most);
  }

  /**
   * Returns a consumer of a queue.
   *
   * @param defaultTimeoutMillis how long a delivery may stay unacknowledged if neither the consumer
   *     nor the queue says it
   */
  public static Map<String, Object> consumer(
      QueueSnapshot view, QueueContents.Member member, long defaultTimeoutMillis) {
    Consumer consumer = member.consumer();
    Queue queue = view.queue();
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

  private static EffectiveSettings byPolicies(Queue queue) {
    return queue.vhost().byPolicies(queue.definition());
  }

  /** Returns the timestamp of the publisher in seconds since 1970; null if it is unknown. */
  private static Long timestampOf(Message message) {
    return message == null ? null : message.properties().timestamp();
  }

  private static String tagOfFirst(
      QueueSnapshot view, java.util.function.Predicate<Consumer> wanted) {
    return view.consumers().stream()
        .map(QueueContents.Member::consumer)
        .filter(wanted)
        .map(consumer -> consumer.tag().value())
        .findFirst()
        .orElse(null);
  }

  private static String singleActive(QueueSnapshot view) {
    if (!view.queue().definition().settings().singleActiveConsumer()) {
      return null;
    }
    return view.consumers().stream()
        .filter(QueueContents.Member::active)
        .map(member -> member.consumer().tag().value())
        .findFirst()
        .orElse(null);
  }
}
