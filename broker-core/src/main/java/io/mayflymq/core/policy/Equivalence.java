package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Whether a redeclaration agrees with the existing object. Integers of every width and timestamps
 * are one type, as are float and double, long string and byte array; arguments that the broker does
 * not know are not compared.
 *
 * <p>Source: RabbitMQ, "Queues", section "Declaration and Property Equivalence"; the texts are
 * those of 3.13 and 4.3.6.
 */
public final class Equivalence {
  private final String where;

  /**
   * Prepares a comparison.
   *
   * @param kind {@code queue} or {@code exchange}
   * @param name its name
   * @param vhost its virtual host
   */
  public Equivalence(String kind, String name, String vhost) {
    this.where = "for %s '%s' in vhost '%s'".formatted(kind, name, vhost);
  }

  /**
   * Compares a property.
   *
   * @throws ChannelException 406 if it differs
   */
  public void check(String property, Object received, Object current) {
    if (!received.equals(current)) {
      throw inequivalent(
          property, "received '%s' but current is '%s'".formatted(received, current));
    }
  }

  /**
   * Compares the arguments of a queue.
   *
   * @throws ChannelException 406 if an argument that the broker knows differs
   */
  public void checkQueueArguments(FieldTable received, FieldTable current) {
    checkArguments(received, current, QueueType.of(current).arguments());
  }

  /**
   * Compares the arguments of a queue, and those that only this dialect compares.
   *
   * @throws ChannelException 406 if an argument that the broker knows differs
   */
  public void checkQueueArguments(FieldTable received, FieldTable current, Dialect dialect) {
    checkQueueArguments(received, current);
    checkArguments(received, current, dialect.comparedArguments(QueueType.of(current)));
  }

  /**
   * Compares the arguments of a queue that only this broker supports.
   *
   * @throws ChannelException 406 if one differs
   */
  public void checkQueueExtensions(FieldTable received, FieldTable current) {
    checkArguments(received, current, QueueArguments.extensions(QueueType.of(current)));
  }

  /**
   * Compares the arguments of an exchange.
   *
   * @throws ChannelException 406 if an argument that the broker knows differs
   */
  public void checkExchangeArguments(FieldTable received, FieldTable current) {
    checkArguments(received, current, List.of("alternate-exchange"));
  }

  private void checkArguments(FieldTable received, FieldTable current, List<String> known) {
    if (!received.equals(current)) {
      known.forEach(name -> checkArgument(name, received.get(name), current.get(name)));
    }
  }

  private void checkArgument(String name, FieldValue received, FieldValue current) {
    if (sameValue(name, received, current)) {
      return;
    }
    if (current == null) {
      throw inequivalent(name, "received %s but current is none".formatted(describe(received)));
    }
    if (received == null) {
      throw inequivalent(name, "received none but current is %s".formatted(describe(current)));
    }
    throw inequivalent(
        name, "received '%s' but current is '%s'".formatted(show(received), show(current)));
  }

  private static boolean sameValue(String name, FieldValue a, FieldValue b) {
    if (a == null || b == null) {
      FieldValue given = a == null ? b : a;
      return given == null || (name.equals(QueueType.ARGUMENT) && show(given).equals("classic"));
    }
    return a.equals(b)
        || (((isWhole(a) && isWhole(b))
                || (isFloating(a) && isFloating(b))
                || (isBytes(a) && isBytes(b)))
            && show(a).equals(show(b)));
  }

  private static boolean isWhole(FieldValue value) {
    return value.isInteger() || value instanceof FieldValue.Timestamp;
  }

  private static boolean isBytes(FieldValue value) {
    return value instanceof FieldValue.LongString || value instanceof FieldValue.Binary;
  }

  private static boolean isFloating(FieldValue value) {
    return value instanceof FieldValue.Float32 || value instanceof FieldValue.Float64;
  }

  private static String describe(FieldValue value) {
    return "the value '%s' of type '%s'".formatted(show(value), value.rabbitTypeName());
  }

  private static String show(FieldValue value) {
    if (value.isInteger()) {
      return Long.toString(value.longValue());
    }
    if (value instanceof FieldValue.Timestamp time) {
      return Long.toString(time.seconds());
    }
    if (value instanceof FieldValue.LongString text) {
      return text.string();
    }
    if (value instanceof FieldValue.Binary binary) {
      return new String(binary.bytes(), StandardCharsets.UTF_8);
    }
    if (value instanceof FieldValue.Bool bool) {
      return Boolean.toString(bool.value());
    }
    if (value instanceof FieldValue.Float32 number) {
      return Double.toString(number.value());
    }
    if (value instanceof FieldValue.Float64 number) {
      return Double.toString(number.value());
    }
    return value.toString();
  }

  private ChannelException inequivalent(String name, String difference) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "inequivalent arg '%s' %s: %s".formatted(name, where, difference));
  }
}
