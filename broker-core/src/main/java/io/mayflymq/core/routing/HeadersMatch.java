package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ErlangText;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The condition of one binding of a headers exchange for the headers of a message.
 *
 * <p>The rules are those of RabbitMQ 3.13 (rabbit_exchange_type_headers.erl). {@code x-match} is
 * {@code all} (also if absent), {@code any}, {@code all-with-x} or {@code any-with-x}; the first
 * two ignore the other arguments whose names begin with {@code x-}. With no argument left to match,
 * all is true and any is false. An argument of the type void asks for the presence of a header
 * only. Values are compared without the type they travelled in, as Erlang has fewer types than
 * AMQP: an integer of 8 bits equals one of 64, a float a double, a long string a byte array; but an
 * integer never equals a float, nor a string a number.
 *
 * <p>The timestamp of a binding equals the integer of its seconds, but an integer of a binding does
 * not equal a timestamp. One rule is not RabbitMQ's: a timestamp matches the same timestamp.
 * RabbitMQ 3.13 turns those of the message into milliseconds and not those of the binding, so they
 * never match there.
 */
final class HeadersMatch {
  private static final String X_MATCH = "x-match";
  private static final String INVALID_VALUE =
      "Invalid x-match field value %s; expected all, any, all-with-x, or any-with-x";
  private static final String INVALID_TYPE =
      "Invalid x-match field type %s (value %s); expected longstr";

  private record Condition(String name, FieldValue value) {}

  private final boolean any;
  private final Condition[] conditions;

  private HeadersMatch(boolean any, List<Condition> conditions) {
    this.any = any;
    this.conditions = conditions.toArray(new Condition[0]);
  }

  /**
   * Checks the arguments of a binding.
   *
   * @throws ChannelException 406 if x-match is none of the four words
   */
  public static void validate(FieldTable arguments) {
    FieldValue mode = arguments.get(X_MATCH);
    if (mode == null) {
      return;
    }
    if (!(mode instanceof FieldValue.LongString word)) {
      throw invalid(INVALID_TYPE.formatted(mode.rabbitTypeName(), ErlangText.of(mode)));
    }
    switch (word.string()) {
      case "all", "any", "all-with-x", "any-with-x" -> {}
      default -> throw invalid(INVALID_VALUE.formatted(ErlangText.of(mode)));
    }
  }

  private static ChannelException invalid(String detail) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, detail);
  }

  static HeadersMatch of(FieldTable arguments) {
    String mode =
        arguments.get(X_MATCH) instanceof FieldValue.LongString word ? word.string() : "all";
    boolean withX = mode.endsWith("-with-x");
    List<Condition> conditions = new ArrayList<>();
    arguments.forEach(
        (name, value) -> {
          if (withX ? !name.equals(X_MATCH) : !name.startsWith("x-")) {
            conditions.add(new Condition(name, value));
          }
        });
    return new HeadersMatch(mode.startsWith("any"), conditions);
  }

  /** Returns headers that each message has that matches; none if no single one is needed. */
  List<HeaderKey> keys() {
    return any
        ? List.of()
        : Arrays.stream(conditions)
            .map(
                condition ->
                    condition.value() instanceof FieldValue.Void
                        ? HeaderKey.ofAny(condition.name())
                        : HeaderKey.of(condition.name(), condition.value()))
            .toList();
  }

  boolean matches(FieldTable headers) {
    for (Condition condition : conditions) {
      if (holds(condition, headers.get(condition.name())) == any) {
        return any;
      }
    }
    return !any;
  }

  private static boolean holds(Condition condition, FieldValue header) {
    return header != null
        && (condition.value() instanceof FieldValue.Void || same(condition.value(), header));
  }

  private static boolean same(FieldValue left, FieldValue right) {
    if (right.isInteger()) {
      return left instanceof FieldValue.Timestamp time
          ? time.seconds() == right.longValue()
          : left.isInteger() && left.longValue() == right.longValue();
    }
    if (isFloat(left) && isFloat(right)) {
      return doubleValue(left) == doubleValue(right);
    }
    // First equals, as telling two strings apart must not copy their bytes.
    return left.equals(right)
        || (left.tag() != right.tag()
            && isBytes(left)
            && isBytes(right)
            && Arrays.equals(bytes(left), bytes(right)));
  }

  private static boolean isFloat(FieldValue value) {
    return value instanceof FieldValue.Float32 || value instanceof FieldValue.Float64;
  }

  private static double doubleValue(FieldValue value) {
    return value instanceof FieldValue.Float32 single
        ? single.value()
        : ((FieldValue.Float64) value).value();
  }

  private static boolean isBytes(FieldValue value) {
    return value instanceof FieldValue.LongString || value instanceof FieldValue.Binary;
  }

  private static byte[] bytes(FieldValue value) {
    return value instanceof FieldValue.LongString text
        ? text.bytes()
        : ((FieldValue.Binary) value).bytes();
  }
}
