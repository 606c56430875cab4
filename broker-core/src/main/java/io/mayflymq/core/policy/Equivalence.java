package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

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
   * What differs.
   *
   * @param name the argument or property
   * @param error 406, which names it with both values
   */
  public record Mismatch(String name, ChannelException error) {}

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
    compare(property, received, current)
        .ifPresent(
            mismatch -> {
              throw mismatch.error();
            });
  }

  /** Compares a property. @return what differs, if anything does */
  public Optional<Mismatch> compare(String property, Object received, Object current) {
    return received.equals(current)
        ? Optional.empty()
        : Optional.of(
            mismatch(property, "received '%s' but current is '%s'".formatted(received, current)));
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
   * Compares the arguments of a queue in the same order, and then those that only this broker
   * supports, if any of them counts.
   *
   * @param extensions whether they all count
   * @param rules what a policy says of them: these count too
   * @return what differs, in that order
   */
  public List<Mismatch> compareQueueArguments(
      FieldTable received,
      FieldTable current,
      Dialect dialect,
      boolean extensions,
      OnMismatch rules) {
    if (received.equals(current)) {
      return List.of();
    }
    QueueType type = QueueType.of(current);
    List<Mismatch> found = new ArrayList<>();
    Consumer<String> comparison =
        name -> {
          if (!sameValue(name, received.get(name), current.get(name))) {
            found.add(mismatch(name, difference(received.get(name), current.get(name))));
          }
        };
    type.arguments().forEach(comparison);
    dialect.comparedArguments(type).forEach(comparison);
    QueueArguments.extensions(type).stream()
        .filter(name -> !dialect.comparedArguments(type).contains(name))
        .filter(name -> extensions || rules.compares(name))
        .forEach(comparison);
    return found;
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
    if (!sameValue(name, received, current)) {
      throw mismatch(name, difference(received, current)).error();
    }
  }

  private static String difference(FieldValue received, FieldValue current) {
    if (current == null) {
      return "received %s but current is none".formatted(describe(received));
    }
    if (received == null) {
      return "received none but current is %s".formatted(describe(current));
    }
    return "received '%s' but current is '%s'".formatted(show(received), show(current));
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

  private Mismatch mismatch(String name, String difference) {
    return new Mismatch(
        name,
        new ChannelException(
            ReplyCode.PRECONDITION_FAILED,
            "inequivalent arg '%s' %s: %s".formatted(name, where, difference)));
  }
}
