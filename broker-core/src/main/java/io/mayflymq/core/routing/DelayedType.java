package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * How a delayed exchange routes: as the type that its argument {@code x-delayed-type} names.
 *
 * <p>Source: RabbitMQ's Delayed Message Plugin, with its texts.
 */
final class DelayedType {
  private static final String ARGUMENT = "x-delayed-type";
  private static final FieldValue TOPIC = FieldValue.of(ExchangeType.TOPIC.wireName());

  private DelayedType() {}

  /** The type that valid arguments name. */
  static ExchangeType of(FieldTable arguments) {
    return ExchangeType.ofWireName(name(arguments));
  }

  /** Whether valid arguments name the type topic. Asked for each message, so it copies nothing. */
  static boolean isTopic(FieldTable arguments) {
    return TOPIC.equals(arguments.get(ARGUMENT));
  }

  /**
   * Checks the arguments of an exchange.
   *
   * @throws ChannelException 406 if they name no type, an unknown one or the delayed one itself, or
   *     are not valid for the one they name
   */
  static void validate(FieldTable arguments) {
    String name = name(arguments);
    if (name == null) {
      throw invalid("Invalid argument, '%s' must be an existing exchange type".formatted(ARGUMENT));
    }
    ExchangeType type = ExchangeType.ofWireName(name);
    if (type == ExchangeType.X_DELAYED_MESSAGE) {
      throw invalid("Invalid argument, '%s' can't be used for '%s'".formatted(type, ARGUMENT));
    }
    if (type == null) {
      throw invalid("unknown exchange type '%s'".formatted(name));
    }
    type.validate(arguments);
  }

  private static String name(FieldTable arguments) {
    return arguments.get(ARGUMENT) instanceof FieldValue.LongString text ? text.string() : null;
  }

  private static ChannelException invalid(String text) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, text);
  }
}
