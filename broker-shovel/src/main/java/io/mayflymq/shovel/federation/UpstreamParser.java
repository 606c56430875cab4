package io.mayflymq.shovel.federation;

import io.mayflymq.shovel.parameter.ParameterFields;
import io.mayflymq.shovel.transfer.AckMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the parameters of federation: upstreams and sets of them. All that is wrong is collected, a
 * line for each.
 */
final class UpstreamParser {
  private static final String URI = "uri";
  private static final String UPSTREAM = "upstream";

  /** Our own: of an upstream of queues that no policy federates. */
  private static final String QUEUE_PATTERN = "queue-pattern";

  /** What an entry of a set may change of its upstream. */
  private static final Set<String> OVERRIDES =
      Set.of(
          "prefetch-count",
          "reconnect-delay",
          "max-hops",
          "expires",
          "message-ttl",
          "ack-mode",
          "trust-user-id",
          "exchange",
          "queue",
          "consumer-tag",
          "bind-nowait",
          "queue-type",
          "resource-cleanup-mode",
          "channel-use-mode");

  private static final Set<String> KEYS = with(OVERRIDES, URI, QUEUE_PATTERN);
  private static final Set<String> KEYS_OF_SET = with(OVERRIDES, UPSTREAM);

  private static final int PREFETCH = 1_000;
  private static final int MOST_PREFETCH = 65_535;
  private static final int MOST_HOPS = 1_000;
  private static final double RECONNECT_SECONDS = 5;
  private static final long MOST_MILLIS = 315_360_000_000L; // ten years

  private final ParameterFields fields;

  private UpstreamParser(ParameterFields fields) {
    this.fields = fields;
  }

  private static Set<String> with(Set<String> keys, String... more) {
    Set<String> all = new HashSet<>(keys);
    all.addAll(List.of(more));
    return Set.copyOf(all);
  }

  /**
   * What a value says.
   *
   * @param upstream null if something is wrong
   * @param problems what is wrong, without passwords
   */
  record Parsed(Upstream upstream, List<String> problems) {}

  /**
   * Reads an upstream.
   *
   * @param name of the parameter
   */
  static Parsed parse(String name, Object value) {
    ParameterFields fields = new ParameterFields(name, value, KEYS, Map.of());
    Upstream upstream = value instanceof Map ? new UpstreamParser(fields).upstream(name) : null;
    return fields.problems().isEmpty()
        ? new Parsed(upstream, List.of())
        : new Parsed(null, fields.problems());
  }

  private Upstream upstream(String name) {
    int prefetch = (int) fields.integer("prefetch-count", PREFETCH, 0, MOST_PREFETCH);
    fields.flag("bind-nowait");
    fields.oneOf("channel-use-mode", List.of("multiple", "single"), "multiple");
    String consumerTag = fields.text("consumer-tag");
    return new Upstream(
        name,
        fields.uris(URI),
        prefetch == 0 ? MOST_PREFETCH : prefetch,
        Math.round(fields.seconds("reconnect-delay", RECONNECT_SECONDS) * 1_000),
        (int) fields.integer("max-hops", 1, 1, MOST_HOPS),
        fields.integer("expires", 0, 1, MOST_MILLIS),
        fields.integer("message-ttl", -1, 0, MOST_MILLIS),
        AckMode.of(fields.oneOf("ack-mode", AckMode.wireNames(), AckMode.ON_CONFIRM.wireName())),
        fields.flag("trust-user-id"),
        fields.name("exchange"),
        fields.name("queue"),
        fields.pattern(QUEUE_PATTERN),
        consumerTag == null ? "federation-link-" + name : consumerTag,
        fields.oneOf("queue-type", List.of("classic", "quorum"), "classic"),
        fields
            .oneOf("resource-cleanup-mode", List.of("default", "never"), "default")
            .equals("never"));
  }

  /**
   * Returns what is wrong with a set.
   *
   * @param name of the parameter
   */
  static List<String> problemsOfSet(String name, Object value) {
    if (name.equals(Upstreams.ALL)) {
      return List.of(
          "the set \"%s\" has every upstream, and cannot be another one".formatted(name));
    } else if (!(value instanceof List<?> entries)) {
      return List.of(
          "the value of %s should be a list of objects, actually was %s"
              .formatted(name, ParameterFields.shown(value)));
    } else if (entries.isEmpty()) {
      return List.of("%s has no upstream".formatted(name));
    } else {
      List<String> problems = new ArrayList<>();
      for (Object entry : entries) {
        ParameterFields fields = new ParameterFields(name, entry, KEYS_OF_SET, Map.of());
        if (fields.name(UPSTREAM) == null && fields.problems().isEmpty()) {
          fields.problem("Key \"%s\" not found in %s".formatted(UPSTREAM, name));
        }
        // Its other fields are right if an upstream with them is.
        new UpstreamParser(fields).upstreamOfSet();
        problems.addAll(fields.problems());
      }
      return problems;
    }
  }

  private void upstreamOfSet() {
    if (fields.problems().isEmpty()) {
      Map<String, Object> sample = new LinkedHashMap<>();
      sample.put(URI, "amqp://");
      OVERRIDES.stream().filter(fields::has).forEach(key -> sample.put(key, fields.value(key)));
      parse("upstream " + fields.value(UPSTREAM), sample).problems().forEach(fields::problem);
    }
  }

  /** Returns the name of the upstream of an entry of a set. */
  static String upstreamOf(Map<?, ?> entry) {
    return (String) entry.get(UPSTREAM);
  }

  /** Returns the value of an upstream with what an entry of a set changes. */
  static Map<String, Object> overridden(Map<?, ?> upstream, Map<?, ?> entry) {
    Map<String, Object> value = new LinkedHashMap<>();
    upstream.forEach((key, field) -> value.put((String) key, field));
    entry.forEach(
        (key, field) -> {
          if (!key.equals(UPSTREAM)) {
            value.put((String) key, field);
          }
        });
    return value;
  }

  /** Returns the value of an upstream, valid or not, with the passwords of its addresses masked. */
  static Object masked(Object value) {
    return ParameterFields.masked(value, Set.of(URI));
  }
}
