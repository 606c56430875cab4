package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.security.NamePattern;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import java.util.List;

/**
 * Which queues are rebalanced, as {@code rabbitmq-queues rebalance} has it. Exclusive queues, and
 * streams without replicas, never are, as they cannot be moved.
 *
 * @param type the name of a type of queues, or {@code all}
 * @param vhosts found in the names of their virtual hosts
 * @param names found in their names
 */
record QueueSelection(String type, NamePattern vhosts, NamePattern names) {
  private static final String ALL = "all";

  /** The names of the types. */
  static final List<String> TYPES =
      List.of(
          QueueType.CLASSIC.wireName(), QueueType.QUORUM.wireName(), QueueType.STREAM.wireName());

  private static final String ANY = ".*";

  /**
   * Reads it from a request.
   *
   * @param fields {@code type}, {@code vhost_pattern} and {@code queue_pattern}, all of them
   *     optional
   * @throws ApiException 400 if the type or a pattern is none
   */
  public static QueueSelection of(Body.Fields fields) {
    String type = fields.text("type", ALL);
    if (!type.equals(ALL) && !TYPES.contains(type)) {
      throw ApiException.badRequest(
          "type '%s': expected one of %s, %s".formatted(type, ALL, String.join(", ", TYPES)));
    }
    return new QueueSelection(
        type, pattern(fields, "vhost_pattern"), pattern(fields, "queue_pattern"));
  }

  private static NamePattern pattern(Body.Fields fields, String name) {
    String source = fields.text(name, ANY);
    try {
      return NamePattern.of(source.isEmpty() ? ANY : source);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest(
          "%s '%s' should be a regular expression: %s".formatted(name, source, e.getMessage()));
    }
  }

  /** Returns whether it includes a queue by its names, whatever its type. */
  public boolean names(Queue queue) {
    return vhosts.matches(queue.vhost().name()) && names.matches(queue.name());
  }

  boolean includes(Queue queue) {
    return (type.equals(ALL) || type.equals(typeOf(queue)))
        && (queue.isReplicated() || !queue.isStream())
        && !queue.definition().exclusive()
        && names(queue);
  }

  static String typeOf(Queue queue) {
    return queue.definition().settings().type().wireName();
  }
}
