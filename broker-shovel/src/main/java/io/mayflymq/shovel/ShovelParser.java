package io.mayflymq.shovel;

import io.mayflymq.shovel.client.BrokerUri;
import java.math.BigInteger;
import java.util.ArrayList;
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
  private static final long MOST_SECONDS = 315_360_000; // ten years

  private final String name;
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  private ShovelParser(String name) {
    this.name = name;
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
    ShovelParser parser = new ShovelParser(name);
    ShovelDefinition definition = parser.definition(value);
    return parser.problems.isEmpty()
        ? new Parsed(definition, List.of())
        : new Parsed(null, parser.problems);
  }

  private ShovelDefinition definition(Object value) {
    if (!(value instanceof Map<?, ?> object)) {
      problems.add(
          "the value of %s should be an object, actually was %s".formatted(name, shown(value)));
      return null;
    }
    for (Map.Entry<?, ?> field : object.entrySet()) {
      String given = (String) field.getKey();
      String key = SYNONYMS.getOrDefault(given, given);
      if (!KEYS.contains(key)) {
        problems.add("Unrecognised term %s in %s".formatted(given, name));
      } else if (fields.put(key, field.getValue()) != null) {
        problems.add("%s and its older name exclude each other".formatted(key));
      }
    }
    AckMode ackMode =
        AckMode.of(oneOf(ACK_MODE, AckMode.wireNames(), AckMode.ON_CONFIRM.wireName()));
    ShovelDefinition.Source source = source(ackMode);
    ShovelDefinition.Destination destination = destination();
    long delay = Math.round(seconds(RECONNECT_DELAY, RECONNECT_SECONDS) * 1_000);
    return new ShovelDefinition(source, destination, ackMode, delay);
  }

  private ShovelDefinition.Source source(AckMode ackMode) {
    String protocol = protocol(SRC_PROTOCOL);
    List<BrokerUri> uris = uris(SRC_URI, protocol);
    String queue = name(SRC_QUEUE);
    String exchange = name(SRC_EXCHANGE);
    if (queue == null && exchange == null) {
      problems.add("Must specify 'src-exchange' or 'src-queue'");
    } else if (queue != null && exchange != null) {
      problems.add("Cannot specify 'src-exchange' and 'src-queue'");
    }
    long deleteAfter = deleteAfter();
    if (deleteAfter >= 0 && ackMode == AckMode.NO_ACK) {
      problems.add("Cannot specify 'no-ack' and numerical 'delete-after'");
    }
    int prefetch = (int) integer(SRC_PREFETCH, PREFETCH, 0, MOST_PREFETCH);
    return new ShovelDefinition.Source(
        protocol,
        uris,
        queue,
        exchange,
        text("src-exchange-key"),
        object("src-queue-args"),
        flag("src-predeclared"),
        prefetch == 0 ? MOST_PREFETCH : prefetch,
        deleteAfter,
        1_000 * integer("src-delete-after-duration", 0, 1, MOST_SECONDS),
        object("src-consumer-args"),
        fields.containsKey("src-consumer-name") ? text("src-consumer-name") : "");
  }

  private ShovelDefinition.Destination destination() {
    String protocol = protocol(DEST_PROTOCOL);
    List<BrokerUri> uris = uris(DEST_URI, protocol);
    String queue = name(DEST_QUEUE);
    String exchange = text(DEST_EXCHANGE);
    if (queue != null && exchange != null) {
      problems.add("Cannot specify 'dest-exchange' and 'dest-queue'");
    }
    return new ShovelDefinition.Destination(
        protocol,
        uris,
        queue,
        object("dest-queue-args"),
        exchange,
        text("dest-exchange-key"),
        flag("dest-predeclared"),
        oneOf(DEST_UNROUTABLE, List.of("keep", "drop"), "keep").equals("drop"),
        flag(DEST_KEEP_TTL),
        flag("dest-add-forward-headers"),
        flag("dest-add-timestamp-header"),
        properties());
  }

  private String protocol(String key) {
    return oneOf(key, List.of("amqp091", "local"), "amqp091");
  }

  private List<BrokerUri> uris(String key, String protocol) {
    Object value = fields.get(key);
    if (!fields.containsKey(key)) {
      problems.add("Key \"%s\" not found in %s".formatted(key, name));
      return List.of();
    }
    List<?> texts = value instanceof List<?> list ? list : List.of(value == null ? "" : value);
    if (texts.isEmpty()) {
      problems.add("%s has no URI".formatted(key));
    }
    List<BrokerUri> uris = new ArrayList<>();
    for (Object text : texts) {
      if (!(text instanceof String uri)) {
        problems.add("%s should be a URI or a list of URIs".formatted(key));
        continue;
      }
      try {
        BrokerUri parsed = BrokerUri.parse(uri);
        uris.add(parsed);
        if (protocol.equals("local") && !parsed.isLocal()) {
          problems.add(
              "%s of the protocol local should be an address without a host".formatted(key));
        }
      } catch (IllegalArgumentException e) {
        problems.add(
            "%s: \"%s\" not a valid URI: %s"
                .formatted(key, BrokerUri.withoutLogin(uri), e.getMessage()));
      }
    }
    return List.copyOf(uris);
  }

  private long deleteAfter() {
    Object value = fields.get(SRC_DELETE_AFTER);
    if (value == null || value.equals("never")) {
      return ShovelDefinition.NEVER;
    } else if (value.equals("queue-length")) {
      return ShovelDefinition.QUEUE_LENGTH;
    } else if (value instanceof Long count && count >= 0) {
      return count;
    }
    problems.add(
        "%s should be a number greater than or equal to 0, \"never\" or \"queue-length\", actually"
                .formatted(SRC_DELETE_AFTER)
            + " was "
            + shown(value));
    return ShovelDefinition.NEVER;
  }

  private Map<String, Object> properties() {
    Map<String, Object> properties = object(DEST_PROPERTIES);
    Map<String, Object> checked = new LinkedHashMap<>();
    properties.forEach(
        (key, value) -> {
          Boolean isNumber = PROPERTIES.get(key);
          if (isNumber == null) {
            problems.add(
                "Unrecognised term %s in %s: expected one of %s"
                    .formatted(
                        key,
                        DEST_PROPERTIES,
                        String.join(", ", new TreeSet<>(PROPERTIES.keySet()))));
          } else if (isNumber && !(value instanceof Long)) {
            problems.add("%s should be a number, actually was %s".formatted(key, shown(value)));
          } else if (!isNumber && !(value instanceof String)) {
            problems.add("%s should be a text, actually was %s".formatted(key, shown(value)));
          } else {
            checked.put(key, value);
          }
        });
    return checked;
  }

  private String oneOf(String key, List<String> expected, String otherwise) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return otherwise;
    } else if (expected.contains(value)) {
      return (String) value;
    }
    problems.add(
        "%s should be one of %s, actually was %s"
            .formatted(key, String.join(", ", expected), shown(value)));
    return otherwise;
  }

  private String text(String key) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return null;
    } else if (value instanceof String text) {
      return text;
    }
    problems.add("%s should be a text, actually was %s".formatted(key, shown(value)));
    return null;
  }

  private String name(String key) {
    String text = text(key);
    if (text != null && text.isEmpty()) {
      problems.add("%s is empty".formatted(key));
    }
    return text;
  }

  private boolean flag(String key) {
    Object value = fields.get(key);
    if (value instanceof Boolean flag) {
      return flag;
    } else if (fields.containsKey(key)) {
      problems.add("%s should be boolean, actually was %s".formatted(key, shown(value)));
    }
    return false;
  }

  private double seconds(String key, double otherwise) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return otherwise;
    } else if (value instanceof Number number
        && number.doubleValue() >= 0
        && number.doubleValue() <= MOST_SECONDS) {
      return number.doubleValue();
    }
    problems.add("%s should be a number, 0 or more, actually was %s".formatted(key, shown(value)));
    return otherwise;
  }

  private long integer(String key, long otherwise, long least, long most) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return otherwise;
    } else if (value instanceof Long number && number >= least && number <= most) {
      return number;
    }
    problems.add(
        "%s should be a number, %d to %d, actually was %s"
            .formatted(key, least, most, shown(value)));
    return otherwise;
  }

  /** Returns an object as the arguments of a method. */
  private Map<String, Object> object(String key) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return Map.of();
    } else if (!(value instanceof Map<?, ?> object)) {
      problems.add("%s should be an object, actually was %s".formatted(key, shown(value)));
      return Map.of();
    } else {
      Map<String, Object> arguments = new LinkedHashMap<>();
      object.forEach((field, argument) -> arguments.put((String) field, argument));
      if (arguments.values().stream().anyMatch(BigInteger.class::isInstance)) {
        problems.add("%s has a number that does not fit in 64 bits".formatted(key));
      }
      return arguments;
    }
  }

  /** Returns a value as text, without what may be a password. */
  private static String shown(Object value) {
    return value instanceof String text
        ? "\"" + BrokerUri.withoutLogin(text) + "\""
        : String.valueOf(value);
  }

  /** Returns a value, valid or not, with the passwords of its addresses masked. */
  static Object masked(Object value) {
    if (!(value instanceof Map<?, ?> object)) {
      return value;
    }
    Map<String, Object> masked = new LinkedHashMap<>();
    object.forEach(
        (key, field) ->
            masked.put(
                (String) key,
                key.equals(SRC_URI) || key.equals(DEST_URI) ? maskedUris(field) : field));
    return masked;
  }

  private static Object maskedUris(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(ShovelParser::maskedUris).toList();
    }
    return value instanceof String text ? BrokerUri.masked(text) : value;
  }
}
