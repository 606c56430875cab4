package io.mayflymq.core.policy;

import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * The arguments of exchanges and bindings that set how long these may stay unused; validated like
 * those of queues.
 */
public final class ExpiresArgument {
  /** For the exchange or binding itself. */
  public static final String OWN = "x-expires";

  /** For the bindings from an exchange. */
  public static final String OF_BINDINGS = PolicyKey.BINDING_EXPIRES.argument();

  private static final long MOST_MILLIS = 315_360_000_000L;

  private ExpiresArgument() {}

  /**
   * Returns the value of an argument.
   *
   * @param subject the object that has it, for the error's text
   * @return the value in ms, 1 or more; {@link QueueSettings#NONE} if it is absent
   * @throws ChannelException 406 if it is not valid
   */
  public static long of(FieldTable arguments, String argument, String subject) {
    FieldValue value = arguments.get(argument);
    if (value == null) {
      return QueueSettings.NONE;
    }
    if (!value.isInteger()) {
      throw invalid(
          argument, subject, "\"expected integer, got %s\"".formatted(value.rabbitTypeName()));
    }
    long millis = value.longValue();
    if (millis <= 0 || millis > MOST_MILLIS) {
      String what = millis == 0 ? "zero" : millis < 0 ? "negative" : "too_large";
      throw invalid(argument, subject, "{value_%s,%d}".formatted(what, millis));
    }
    return millis;
  }

  private static ChannelException invalid(String argument, String subject, String why) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid arg '%s' for %s: %s".formatted(argument, subject, why));
  }
}
