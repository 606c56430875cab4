package io.mayflymq.core.stream;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A filter for the messages of a stream: a consumer gets those that were published with one of
 * these values, and, if it asks for them, those without any value.
 *
 * <p>Source: RabbitMQ, "Stream Filtering". There the broker leaves out whole chunks, and clients
 * have to do the rest; here no message is delivered that does not match.
 *
 * @param values the values
 * @param unfiltered whether messages without a value match
 */
record StreamFilter(Set<String> values, boolean unfiltered) {
  /** The argument of {@code basic.consume} with a value or an array of values. */
  static final String ARGUMENT = "x-stream-filter";

  /** The argument that says whether messages without a value match; false by default. */
  static final String MATCH_UNFILTERED = "x-stream-match-unfiltered";

  /** The header of a published message with its value. */
  static final String HEADER = "x-stream-filter-value";

  /** Returns the filter of a consumer; null without one. */
  static StreamFilter of(FieldTable arguments) {
    FieldValue value = arguments.get(ARGUMENT);
    Set<String> values;
    if (value instanceof FieldValue.LongString one) {
      values = Set.of(one.string());
    } else if (value instanceof FieldValue.Array array) {
      values =
          array.values().stream()
              .filter(FieldValue.LongString.class::isInstance)
              .map(text -> ((FieldValue.LongString) text).string())
              .collect(Collectors.toUnmodifiableSet());
    } else {
      return null;
    }
    boolean unfiltered =
        arguments.get(MATCH_UNFILTERED) instanceof FieldValue.Bool flag && flag.value();
    return new StreamFilter(values, unfiltered);
  }

  boolean matches(Message message) {
    return message.headers().get(HEADER) instanceof FieldValue.LongString value
        ? values.contains(value.string())
        : unfiltered;
  }
}
