package io.mayflymq.server.metrics;

import io.mayflymq.core.security.NamePattern;
import io.mayflymq.server.http.Percent;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What a scrape asks for.
 *
 * @param families the families of the detailed endpoint
 * @param vhosts the virtual hosts of the detailed endpoint; empty for all
 * @param queues what names of queues of the detailed endpoint match; null for all
 */
record Scrape(Endpoint endpoint, Set<String> families, Set<String> vhosts, NamePattern queues) {
  private static final int LONGEST_PATTERN = 2000;

  /** The endpoints. */
  enum Endpoint {
    AGGREGATED("aggregated", "default", "rabbitmq_"),
    PER_OBJECT("per-object", "per-object", "rabbitmq_"),
    DETAILED("detailed", "detailed", "rabbitmq_detailed_"),
    MEMORY_BREAKDOWN("memory-breakdown", "memory-breakdown", "rabbitmq_");

    private final String label;
    private final String registry;
    private final String prefix;

    Endpoint(String label, String registry, String prefix) {
      this.label = label;
      this.registry = registry;
      this.prefix = prefix;
    }

    /** Returns its name in labels and paths. */
    String label() {
      return label;
    }

    /** Returns its name in RabbitMQ's telemetry. */
    String registry() {
      return registry;
    }

    /** Returns what the names of its metrics begin with. */
    String prefix() {
      return prefix;
    }
  }

  /** Returns a scrape of all that an endpoint has. */
  static Scrape of(Endpoint endpoint) {
    return new Scrape(endpoint, Set.of(), Set.of(), null);
  }

  /**
   * Returns a scrape of the detailed endpoint.
   *
   * @param query percent-encoded; null if there is none
   * @throws IllegalArgumentException if it is malformed; the message says why
   */
  static Scrape detailed(String query) {
    Set<String> families = new HashSet<>();
    Set<String> vhosts = new HashSet<>();
    String queues = null;
    for (String pair : Optional.ofNullable(query).orElse("").split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        String value = Percent.decode(pair.substring(equals + 1).replace('+', ' '));
        switch (Percent.decode(pair.substring(0, equals))) {
          case "family" -> families.add(value);
          case "vhost" -> vhosts.add(value);
          case "queue" -> {
            if (queues != null) {
              throw new IllegalArgumentException("Only one 'queue' query parameter is allowed");
            }
            queues = value;
          }
          default -> {}
        }
      }
    }
    return new Scrape(
        Endpoint.DETAILED,
        Set.copyOf(families),
        Set.copyOf(vhosts),
        queues == null || queues.isEmpty() ? null : pattern(queues));
  }

  private static NamePattern pattern(String text) {
    if (text.length() > LONGEST_PATTERN) {
      throw new IllegalArgumentException(
          "'queue' regex too long: %d characters, expected %d at most"
              .formatted(text.length(), LONGEST_PATTERN));
    }
    try {
      return NamePattern.of(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("Invalid 'queue' regex: " + e.getMessage(), e);
    }
  }

  /** Returns whether it asks for a family. */
  boolean wants(String family) {
    return switch (endpoint) {
      case AGGREGATED, PER_OBJECT -> true;
      case DETAILED -> families.contains(family);
      case MEMORY_BREAKDOWN -> family.equals("queue_metrics");
    };
  }

  /** Returns whether it asks for some of the queues only. */
  boolean isFiltered() {
    return queues != null || !vhosts.isEmpty();
  }

  /** Returns whether it asks for a queue of this name. */
  boolean wantsQueue(String name) {
    return queues == null || queues.matches(name);
  }

  /** Returns whether it asks for objects of a virtual host. */
  boolean wantsVhost(String vhost) {
    return vhosts.isEmpty() || vhosts.contains(vhost);
  }
}
