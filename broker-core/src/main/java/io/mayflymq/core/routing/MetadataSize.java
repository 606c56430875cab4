package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;

/**
 * How much memory exchanges, queues, bindings and consumers take, about: measured objects without
 * their texts and arguments, and an estimate of those. In bytes; the same on every node for the
 * same object.
 */
public final class MetadataSize {
  private static final long EXCHANGE = 500;
  private static final long QUEUE = 2_000;
  private static final long BINDING = 400;

  private static final long CONSUMER = 400;
  private static final long COUNTERS = 600;

  /** A name and its place in the map. */
  private static final long FIELD = 110;

  private static final long VALUE = 24;

  /** A text without its characters. */
  private static final long TEXT = 40;

  private MetadataSize() {}

  /** Of an exchange, without its bindings. */
  public static long of(ExchangeDefinition exchange) {
    return EXCHANGE + exchange.name().length() + of(exchange.arguments());
  }

  /** Of a queue without its bindings, and without what its messages take. */
  public static long ofQueue(String name, FieldTable arguments) {
    return QUEUE + name.length() + of(arguments);
  }

  /** Of a binding. */
  public static long of(Binding binding) {
    return BINDING
        + binding.source().length()
        + binding.destination().length()
        + binding.routingKey().length()
        + of(binding.arguments());
  }

  /** Of a consumer. */
  public static long ofConsumer(String tag, FieldTable arguments) {
    return CONSUMER + 2L * tag.length() + of(arguments);
  }

  /** Of what a channel counts for a queue or an exchange. */
  public static long ofCounters(String name) {
    return COUNTERS + name.length();
  }

  /** Of fields, as of the arguments of an object. */
  public static long of(FieldTable table) {
    long[] bytes = {0};
    table.forEach((name, value) -> bytes[0] += FIELD + name.length() + of(value));
    return bytes[0];
  }

  private static long of(FieldValue value) {
    if (value instanceof FieldValue.LongString text) {
      return TEXT + text.length();
    }
    if (value instanceof FieldValue.Binary binary) {
      return TEXT + binary.length();
    }
    if (value instanceof FieldValue.Table nested) {
      return VALUE + FIELD + of(nested.table());
    }
    if (value instanceof FieldValue.Array array) {
      return TEXT + array.values().stream().mapToLong(MetadataSize::of).sum();
    }
    return VALUE;
  }
}
