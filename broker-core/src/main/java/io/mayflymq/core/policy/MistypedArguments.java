package io.mayflymq.core.policy;

import io.mayflymq.core.naming.NearestName;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Arguments of queues that this broker does not know, and that are one edit away from one that it
 * knows. They are accepted, as in RabbitMQ, and have no effect. Thread-safe.
 */
public final class MistypedArguments {
  private static final Logger LOGGER = LoggerFactory.getLogger(MistypedArguments.class);
  private static final String PREFIX = "x-";
  private static final Set<String> KNOWN = known();

  /** So that clients can neither fill the log nor the memory. */
  private static final int MOST_REPORTED = 1000;

  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

  private MistypedArguments() {}

  private static Set<String> known() {
    Set<String> known = new TreeSet<>();
    for (PolicyKey key : PolicyKey.values()) {
      if (key.isByArgument()) {
        known.addAll(key.arguments());
      }
    }
    for (QueueType type : QueueType.values()) {
      known.addAll(type.arguments());
      known.addAll(type.argumentsOfOthers());
    }
    return known;
  }

  /** Returns the known argument that each of these probably means, by name; usually none. */
  public static Map<String, String> of(FieldTable arguments) {
    Map<String, String> mistyped = new TreeMap<>();
    arguments.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX) && !KNOWN.contains(name)) {
            NearestName.of(name, KNOWN)
                .filter(nearest -> NearestName.edits(name, nearest) == 1)
                .ifPresent(nearest -> mistyped.put(name, nearest));
          }
        });
    return mistyped;
  }

  /** Warns of them, of each name once in the life of the process. */
  static void warn(FieldTable arguments, String queue, String vhost) {
    of(arguments)
        .forEach(
            (name, nearest) -> {
              if (REPORTED.size() < MOST_REPORTED && REPORTED.add(name)) {
                LOGGER.warn(
                    "queue '{}' in vhost '{}' has the unknown argument '{}', which has no effect;"
                        + " did you mean '{}'? Other queues with it are not logged",
                    queue,
                    vhost,
                    name,
                    nearest);
              }
            });
  }
}
