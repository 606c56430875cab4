package io.mayflymq.shovel;

import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.parameter.ParameterFields;
import io.mayflymq.shovel.transfer.AckMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads the value of a parameter: RabbitMQ's keys, with its older names. All that is wrong is
 * collected, a line for each.
 */
final class ShovelParser {
  private static final String SRC_URI = "src-uri";
  private static final String DEST_URI = "dest-uri";
  private static final String SRC_PROTOCOL = "src-protocol";
  private static final String DEST_PROTOCOL = "dest-protocol";
  private static final String SRC_QUEUE = "src-queue";
  private static final String SRC_EXCHANGE = "src-exchange";
  private static final String SRC_DELETE_AFTER = "src-delete-after";
  private static final String SRC_PREFETCH = "src-prefetch-count";
  private static final String DEST_QUEUE = "dest-queue";
  private static final String DEST_EXCHANGE = "dest-exchange";
  private static final String DEST_PROPERTIES = "dest-publish-properties";
  private static final String ACK_MODE = "ack-mode";
  private static final String RECONNECT_DELAY = "reconnect-delay";

  /** The key of ours that says what happens to a message which no queue takes. */
  private static final String DEST_UNROUTABLE = "dest-unroutable";

  /** The key of ours that says whether the time that a message has left travels with it. */
  private static final String DEST_KEEP_TTL = "dest-keep-ttl";

  /** Older names, and those that came instead. */
  private static final Map<String, String> SYNONYMS =
      Map.of(
          "prefetch-count", SRC_PREFETCH,
          "delete-after", SRC_DELETE_AFTER,
          "add-forward-headers", "dest-add-forward-headers",
          "publish-properties", DEST_PROPERTIES);

  private static final Set<String> KEYS =
      Set.of(
          SRC_PROTOCOL,
          SRC_URI,
          SRC_QUEUE,
          SRC_EXCHANGE,
          "src-exchange-key",
          "src-queue-args",
          "src-predeclared",
          SRC_PREFETCH,
          SRC_DELETE_AFTER,
          "src-delete-after-duration",
          "src-consumer-args",
          "src-consumer-name",
          DEST_PROTOCOL,
          DEST_URI,
          DEST_QUEUE,
          "dest-queue-args",
          DEST_EXCHANGE,
          "dest-exchange-key",
          "dest-predeclared",
          DEST_UNROUTABLE,
          DEST_KEEP_TTL,
          "dest-add-forward-headers",
          "dest-add-timestamp-header",
          DEST_PROPERTIES,
          ACK_MODE,
          RECONNECT_DELAY,
          "internal",
          "internal_owner");

  /** What a message has that can be replaced, and whether it is a number. */
  static final Map<String, Boolean> PROPERTIES =
      Map.ofEntries(
          Map.entry("content_type", false),
          Map.entry("content_encoding", false),
          Map.entry("delivery_mode", true),
          Map.entry("priority", true),
          Map.entry("correlation_id", false),
          Map.entry("reply_to", false),
          Map.entry("expiration", false),
          Map.entry("message_id", false),
          Map.entry("timestamp", true),
          Map.entry("type", false),
          Map.entry("user_id", false),
          Map.entry("app_id", false),
          Map.entry("cluster_id", false));

  private static final int MOST_PREFETCH = 65_535;
  private static final int PREFETCH = 1_000;
  private static final double RECONNECT_SECONDS = 5;

  private final ParameterFields fields;

  private ShovelParser(ParameterFields fields) {
    this.fields = fields;
  }

  /**
   * What a value says.
   *
   * @param definition null if something is wrong
   * @param problems what is wrong, without passwords
   */
  record Parsed(ShovelDefinition definition, List<String> problems) {}

  /**
   * Reads a value.
   *
   * @param name the name of the shovel
   */
  static Parsed parse(String name, Object value) {
    ParameterFields fields = new ParameterFields(name, value, KEYS, SYNONYMS);
    ShovelDefinition definition =
        value instanceof Map ? new ShovelParser(fields).definition() : null;
    return fields.problems().isEmpty()
        ? new Parsed(definition, List.of())
        : new Parsed(null, fields.problems());
  }

  private ShovelDefinition definition() {
    AckMode ackMode =
        AckMode.of(fields.oneOf(ACK_MODE, AckMode.wireNames(), AckMode.ON_CONFIRM.wireName()));
    ShovelDefinition.Source source = source(ackMode);
    ShovelDefinition.Destination destination = destination();
    long delay = Math.round(fields.seconds(RECONNECT_DELAY, RECONNECT_SECONDS) * 1_000);
    return new ShovelDefinition(source, destination, ackMode, delay);
  }

  private ShovelDefinition.Source source(AckMode ackMode) {
    String protocol = protocol(SRC_PROTOCOL);
    List<BrokerUri> uris = uris(SRC_URI, protocol);
    String queue = fields.name(SRC_QUEUE);
    String exchange = fields.name(SRC_EXCHANGE);
    if (queue == null && exchange == null) {
      fields.problem("Must specify 'src-exchange' or 'src-queue'");
    } else if (queue != null && exchange != null) {
      fields.problem("Cannot specify 'src-exchange' and 'src-queue'");
    }
    long deleteAfter = deleteAfter();
    if (deleteAfter >= 0 && ackMode == AckMode.NO_ACK) {
      fields.problem("Cannot specify 'no-ack' and numerical 'delete-after'");
    }
    int prefetch = (int) fields.integer(SRC_PREFETCH, PREFETCH, 0, MOST_PREFETCH);
    return new ShovelDefinition.Source(
        protocol,
        uris,
        queue,
        exchange,
        fields.text("src-exchange-key"),
        fields.object("src-queue-args"),
        fields.flag("src-predeclared"),
        prefetch == 0 ? MOST_PREFETCH : prefetch,
        deleteAfter,
        1_000 * fields.integer("src-delete-after-duration", 0, 1, ParameterFields.MOST_SECONDS),
        fields.object("src-consumer-args"),
        fields.has("src-consumer-name") ? fields.text("src-consumer-name") : "");
  }

  private ShovelDefinition.Destination destination() {
    String protocol = protocol(DEST_PROTOCOL);
    List<BrokerUri> uris = uris(DEST_URI, protocol);
    String queue = fields.name(DEST_QUEUE);
    String exchange = fields.text(DEST_EXCHANGE);
    if (queue != null && exchange != null) {
      fields.problem("Cannot specify 'dest-exchange' and 'dest-queue'");
    }
    return new ShovelDefinition.Destination(
        protocol,
        uris,
        queue,
        fields.object("dest-queue-args"),
        exchange,
        fields.text("dest-exchange-key"),
        fields.flag("dest-predeclared"),
        fields.oneOf(DEST_UNROUTABLE, List.of("keep", "drop"), "keep").equals("drop"),
        fields.flag(DEST_KEEP_TTL),
        fields.flag("dest-add-forward-headers"),
        fields.flag("dest-add-timestamp-header"),
        properties());
  }

  private String protocol(String key) {
    return fields.oneOf(key, List.of("amqp091", "local"), "amqp091");
  }

  private List<BrokerUri> uris(String key, String protocol) {
    List<BrokerUri> uris = fields.uris(key);
    if (protocol.equals("local") && !uris.stream().allMatch(BrokerUri::isLocal)) {
      fields.problem("%s of the protocol local should be an address without a host".formatted(key));
    }
    return uris;
  }

  private long deleteAfter() {
    Object value = fields.value(SRC_DELETE_AFTER);
    if (value == null || value.equals("never")) {
      return ShovelDefinition.NEVER;
    } else if (value.equals("queue-length")) {
      return ShovelDefinition.QUEUE_LENGTH;
    } else if (value instanceof Long count && count >= 0) {
      return count;
    }
    fields.problem(
        "%s should be a number greater than or equal to 0, \"never\" or \"queue-length\", actually"
                .formatted(SRC_DELETE_AFTER)
            + " was "
            + ParameterFields.shown(value));
    return ShovelDefinition.NEVER;
  }

  private Map<String, Object> properties() {
    Map<String, Object> properties = fields.object(DEST_PROPERTIES);
    Map<String, Object> checked = new LinkedHashMap<>();
    properties.forEach(
        (key, value) -> {
          Boolean isNumber = PROPERTIES.get(key);
          if (isNumber == null) {
            fields.problem(
                "Unrecognised term %s in %s: expected one of %s"
                    .formatted(
                        key,
                        DEST_PROPERTIES,
                        String.join(", ", new TreeSet<>(PROPERTIES.keySet()))));
          } else if (isNumber && !(value instanceof Long)) {
            fields.problem(
                "%s should be a number, actually was %s"
                    .formatted(key, ParameterFields.shown(value)));
          } else if (!isNumber && !(value instanceof String)) {
            fields.problem(
                "%s should be a text, actually was %s"
                    .formatted(key, ParameterFields.shown(value)));
          } else {
            checked.put(key, value);
          }
        });
    return checked;
  }

  /** Returns a value, valid or not, with the passwords of its addresses masked. */
  static Object masked(Object value) {
    return ParameterFields.masked(value, Set.of(SRC_URI, DEST_URI));
  }
}
