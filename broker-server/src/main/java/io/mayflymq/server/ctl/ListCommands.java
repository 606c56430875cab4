package io.mayflymq.server.ctl;

import io.mayflymq.server.management.json.BindingFields;
import io.mayflymq.server.management.json.ChannelFields;
import io.mayflymq.server.management.json.ConnectionFields;
import io.mayflymq.server.management.json.ConsumerFields;
import io.mayflymq.server.management.json.ExchangeFields;
import io.mayflymq.server.management.json.QueueFields;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Commands that list queues, exchanges, bindings, consumers, connections and channels. */
final class ListCommands {
  private static final String CLIENT_NAME = "client_name";

  /** What the API calls it. */
  private static final String GIVEN_NAME = "user_provided_name";

  /** How many messages the channel of a consumer gets per second. */
  private static final String CHANNEL_RATE = "channel_deliver_rate";

  private static final String LIMIT = "--limit";

  /** The options that choose queues by where they are. */
  private static final List<String> STATES = List.of("--online", "--offline", "--local");

  private static final Columns UNRESPONSIVE = Columns.of("name");

  /** The columns, which only these commands load: most others begin without the tables. */
  private static final class Lists {
    /** Those of the table of fields, and RabbitMQ's that are put together here or always empty. */
    static final Columns QUEUES =
        Columns.of(QueueFields.columns())
            .with("owner_pid", queue -> queue.get("owner_pid"), "owner_pid_details")
            .with(
                "exclusive_consumer_pid",
                queue -> queue.get("exclusive_consumer_pid"),
                "exclusive_consumer_pid")
            .withText(
                "leader", queue -> queue.getOrDefault("leader", queue.get("node")), "leader,node")
            .with("members", queue -> nodes(queue, "members"), "members,node")
            .with("online", queue -> nodes(queue, "online"), "online,node")
            .with("messages_ready_ram")
            .with("messages_unacknowledged_ram")
            .with("disk_reads")
            .with("disk_writes")
            .with("slave_pids", queue -> "", "name")
            .with("synchronised_slave_pids", queue -> "", "name")
            .with("mirror_pids", queue -> "", "name")
            .with("synchronised_mirror_pids", queue -> "", "name");

    static final Columns EXCHANGES = Columns.of(ExchangeFields.columns());

    static final Columns BINDINGS =
        Columns.of(BindingFields.columns())
            .with("source_kind", binding -> Term.atom("exchange"), "source");

    static final Columns CONNECTIONS =
        Columns.of(ConnectionFields.columns())
            .withText("protocol", connection -> Term.Tuple.of(0L, 9L, 1L), "protocol")
            .with("container_id");

    static final Columns CHANNELS =
        Columns.of(ChannelFields.columns())
            .with("connection", channel -> channel.get("connection"), "connection_details")
            .withText(CLIENT_NAME, channel -> channel.get(CLIENT_NAME), "connection_details");

    static final Columns CONSUMERS =
        Columns.of(ConsumerFields.columns())
            .withText(CLIENT_NAME, consumer -> consumer.get(CLIENT_NAME), "channel_details")
            .with(CHANNEL_RATE, consumer -> consumer.get(CHANNEL_RATE), "channel_details");
  }

  private ListCommands() {}

  public static List<Command> all() {
    return List.of(
        ordered("list_queues", "Lists queues and their properties", () -> Lists.QUEUES)
            .inVhost()
            .option(Option.flag("queues that can be used: their node is there", "--online"))
            .option(Option.flag("queues whose node is not there", "--offline"))
            .option(Option.flag("queues on this node", "--local"))
            .action(ListCommands::queues),
        Command.named("list_exchanges", "Lists exchanges")
            .inVhost()
            .takesColumns(() -> Lists.EXCHANGES)
            .action(ListCommands::exchanges),
        Command.named("list_bindings", "Lists all bindings on a vhost")
            .inVhost()
            .takesColumns(() -> Lists.BINDINGS)
            .action(ListCommands::bindings),
        ordered("list_consumers", "Lists all consumers for a vhost", () -> Lists.CONSUMERS)
            .inVhost()
            .action(ListCommands::consumers),
        ordered(
                "list_connections",
                "Lists AMQP 0.9.1 connections of all nodes",
                () -> Lists.CONNECTIONS)
            .action(ListCommands::connections),
        ordered("list_channels", "Lists all channels of all nodes", () -> Lists.CHANNELS)
            .action(ListCommands::channels),
        Command.named(
                "list_unresponsive_queues",
                "Tests queues to respond within timeout. Lists those which did not respond")
            .inVhost()
            .takesMany("column")
            .action(ListCommands::unresponsiveQueues));
  }

  /** Returns a command for a list that can be sorted, cut and repeated. */
  private static Command ordered(String name, String description, Supplier<Columns> columns) {
    return Command.named(name, description)
        .option(
            Option.text(
                "<column>",
                "sorted by this column: texts from A to Z, numbers with the largest first",
                "--sort"))
        .option(Option.flag("the other way round", "--reverse"))
        .option(Option.number("<n>", "no more than so many", LIMIT))
        .option(Option.number("<seconds>", "shows the list again and again", Command.WATCH))
        .option(Option.number("<n>", "with --watch, so often", Command.TIMES))
        .takesColumns(columns);
  }

  private static RowOrder order(Invocation invocation, Columns columns) {
    long limit = invocation.number(LIMIT, 0);
    if (limit < 0) {
      throw ControlException.usage("--limit %d: expected a number from 1 on".formatted(limit));
    }
    return new RowOrder(columns, invocation.option("--sort"), invocation.flag("--reverse"), limit);
  }

  /**
   * Returns what a virtual host has; nothing if there is no such virtual host, as with RabbitMQ.
   */
  private static List<Map<String, Object>> found(Invocation invocation, String what, String query) {
    Object found = invocation.api().find(Api.path(what, invocation.vhost()) + query);
    return found == null ? List.of() : new ArrayList<>(items(found));
  }

  /** Returns the objects of a list, or of a page of one. */
  private static List<Map<String, Object>> items(Object found) {
    return Api.objects(found instanceof Map<?, ?> page ? page.get("items") : found);
  }

  private static Result queues(Invocation invocation) {
    Columns columns = Lists.QUEUES.chosen(invocation.arguments(), "name", "messages");
    invocation.banner(
        "Timeout: %s seconds ...",
        String.format(Locale.ROOT, "%.1f", (double) invocation.timeoutSeconds()));
    invocation.banner("Listing queues for vhost %s ...", invocation.vhost());
    RowOrder order = order(invocation, Lists.QUEUES);
    boolean all = STATES.stream().noneMatch(invocation::flag);
    String query = columns.query(with(order, "node", "state")) + (all ? order.page() : "");
    List<Map<String, Object>> queues =
        found(invocation, "queues", query).stream()
            .filter(queue -> isWanted(invocation, queue))
            .toList();
    if (columns.has("owner_pid")) {
      Map<Object, Object> pids = connectionPids(invocation);
      queues.forEach(
          queue ->
              queue.put(
                  "owner_pid",
                  Term.pid(pids.get(ControlValues.at(queue, "owner_pid_details", "name")))));
    }
    if (columns.has("exclusive_consumer_pid")) {
      addExclusiveConsumers(invocation, queues);
    }
    return columns.rows(order.of(queues));
  }

  private static String[] with(RowOrder order, String... fields) {
    return Stream.concat(Stream.of(order.fields()), Stream.of(fields)).toArray(String[]::new);
  }

  /** Returns the nodes of a queue; only one that can have replicas has several. */
  private static List<?> nodes(Map<String, Object> queue, String field) {
    return queue.get(field) instanceof List<?> nodes
        ? nodes
        : List.of(String.valueOf(queue.get("node")));
  }

  private static boolean isWanted(Invocation invocation, Map<String, Object> queue) {
    boolean down = "down".equals(queue.get("state"));
    return !(invocation.flag("--online") && down)
        && !(invocation.flag("--offline") && !down)
        && !(invocation.flag("--local") && !invocation.node().equals(queue.get("node")));
  }

  /** Returns the identifiers of connections by their names: other objects have only the latter. */
  private static Map<Object, Object> connectionPids(Invocation invocation) {
    Map<Object, Object> pids = new HashMap<>();
    for (Map<String, Object> connection : invocation.api().list("connections?columns=name,pid")) {
      pids.put(connection.get("name"), connection.get("pid"));
    }
    return pids;
  }

  private static void addExclusiveConsumers(
      Invocation invocation, List<Map<String, Object>> queues) {
    Map<Object, Object> pids = new HashMap<>();
    for (Map<String, Object> consumer :
        invocation.api().list(Api.path("consumers", invocation.vhost()))) {
      if (Boolean.TRUE.equals(consumer.get("exclusive"))) {
        pids.put(
            ControlValues.at(consumer, "queue", "name"),
            ControlValues.at(consumer, "channel_details", "pid"));
      }
    }
    queues.forEach(
        queue -> queue.put("exclusive_consumer_pid", Term.pid(pids.get(queue.get("name")))));
  }

  private static Result exchanges(Invocation invocation) {
    Columns columns = Lists.EXCHANGES.chosen(invocation.arguments(), "name", "type");
    invocation.banner("Listing exchanges for vhost %s ...", invocation.vhost());
    return columns.rows(found(invocation, "exchanges", columns.query()));
  }

  private static Result bindings(Invocation invocation) {
    Columns columns =
        Lists.BINDINGS.chosen(
            invocation.arguments(),
            "source_name",
            "source_kind",
            "destination_name",
            "destination_kind",
            "routing_key",
            "arguments");
    invocation.banner("Listing bindings for vhost %s...", invocation.vhost());
    return columns.rows(found(invocation, "bindings", columns.query()));
  }

  private static Result consumers(Invocation invocation) {
    Columns columns =
        Lists.CONSUMERS.chosen(
            invocation.arguments(),
            "queue_name",
            "channel_pid",
            "consumer_tag",
            "ack_required",
            "prefetch_count",
            "active",
            "arguments");
    invocation.banner("Listing consumers in vhost %s ...", invocation.vhost());
    RowOrder order = order(invocation, Lists.CONSUMERS);
    List<Map<String, Object>> consumers =
        found(invocation, "consumers", columns.query(order.fields()));
    if (shows(CLIENT_NAME, columns, invocation)) {
      addClientNames(invocation, consumers, "channel_details", "connection_name");
    }
    if (shows(CHANNEL_RATE, columns, invocation)) {
      addChannelRates(invocation, consumers);
    }
    return columns.rows(order.of(consumers));
  }

  private static Result connections(Invocation invocation) {
    Columns columns =
        Lists.CONNECTIONS.chosen(invocation.arguments(), "user", "peer_host", "peer_port", "state");
    invocation.banner("Listing connections ...");
    RowOrder order = order(invocation, Lists.CONNECTIONS);
    return columns.rows(
        order.of(
            items(
                invocation
                    .api()
                    .get("connections" + columns.query(order.fields()) + order.page()))));
  }

  private static Result channels(Invocation invocation) {
    Columns columns =
        Lists.CHANNELS.chosen(
            invocation.arguments(), "pid", "user", "consumer_count", "messages_unacknowledged");
    invocation.banner("Listing channels ...");
    RowOrder order = order(invocation, Lists.CHANNELS);
    List<Map<String, Object>> channels =
        new ArrayList<>(invocation.api().list("channels" + columns.query(order.fields())));
    if (shows(CLIENT_NAME, columns, invocation)) {
      addClientNames(invocation, channels, "connection_details", "name");
    }
    if (columns.has("connection")) {
      Map<Object, Object> pids = connectionPids(invocation);
      channels.forEach(
          channel ->
              channel.put(
                  "connection",
                  Term.pid(pids.get(ControlValues.at(channel, "connection_details", "name")))));
    }
    return columns.rows(order.of(channels));
  }

  private static boolean shows(String column, Columns chosen, Invocation invocation) {
    return chosen.has(column) || column.equals(invocation.option("--sort"));
  }

  /** Adds what clients call their connections, by the names that the broker has for these. */
  private static void addClientNames(
      Invocation invocation, List<Map<String, Object>> objects, String details, String field) {
    Map<Object, Object> names = new HashMap<>();
    invocation
        .api()
        .list("connections?columns=name," + GIVEN_NAME)
        .forEach(each -> names.put(each.get("name"), each.get(GIVEN_NAME)));
    objects.forEach(
        each -> each.put(CLIENT_NAME, names.get(ControlValues.at(each, details, field))));
  }

  private static void addChannelRates(Invocation invocation, List<Map<String, Object>> consumers) {
    Map<Object, Object> rates = new HashMap<>();
    String rate = "message_stats.deliver_get_details.rate";
    invocation
        .api()
        .list("channels?columns=name," + rate)
        .forEach(
            channel ->
                rates.put(channel.get("name"), ControlValues.at(channel, rate.split("\\."))));
    consumers.forEach(
        each ->
            each.put(CHANNEL_RATE, rates.get(ControlValues.at(each, "channel_details", "name"))));
  }

  /** A queue that does not answer delays the whole list, which then fails with a timeout. */
  private static Result unresponsiveQueues(Invocation invocation) {
    Columns columns = UNRESPONSIVE.chosen(invocation.arguments(), "name");
    invocation.banner("Listing unresponsive queues for vhost %s ...", invocation.vhost());
    found(invocation, "queues", columns.query());
    return columns.rows(List.of());
  }
}
