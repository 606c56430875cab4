package io.mayflymq.core.policy;

import java.util.List;

/**
 * Decides which of two values of the same key is effective: the first is a policy's, the second an
 * operator policy's or an argument's. Of two equal ones the first is, except with {@link #SECOND}.
 * With {@link #BOTH_PAUSES} it may be neither, but what both say together.
 *
 * <p>Source: RabbitMQ, {@code rabbit_policy_merge_strategy} and the queue types' own rules.
 */
enum Merge {
  /** The lower number. */
  LOWEST("the lower value counts") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      return (long) second < (long) first;
    }
  },
  /** The higher number. */
  HIGHEST("the higher value counts") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      return (long) second > (long) first;
    }
  },
  /** The lower number, where a negative one stands for no limit. */
  LOWEST_LIMIT("the lower limit counts") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      boolean unlimited = (long) first < 0 || (long) second < 0;
      return (unlimited ? HIGHEST : LOWEST).prefersSecond(first, second);
    }
  },
  /** The value with more mirrors: as in RabbitMQ with mirrored queues. */
  MORE_MIRRORS("the value with more mirrors counts") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      if (first instanceof String mode) {
        return MODES.indexOf(second) < MODES.indexOf(mode);
      }
      // A number is of the mode "exactly", which has precedence over "nodes", whose values are
      // lists.
      if (first instanceof Long number) {
        return second instanceof Long other && other >= number;
      }
      return second instanceof Long || ((List<?>) second).size() >= ((List<?>) first).size();
    }
  },
  /** What either pauses is paused. */
  BOTH_PAUSES("it counts as well: what any of them pauses is paused") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      return !first.equals(second) && !first.equals(Pause.BOTH.word());
    }

    @Override
    Object together(Object first, Object second) {
      return first.equals(second) ? first : Pause.BOTH.word();
    }

    @Override
    boolean isSum() {
      return true;
    }
  },
  /** Always the first. */
  FIRST("the policy has precedence") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      return false;
    }
  },
  /** Always the second. */
  SECOND("the %s has precedence") {
    @Override
    boolean prefersSecond(Object first, Object second) {
      return true;
    }
  };

  private static final List<String> MODES = List.of("all", "exactly", "nodes");

  private final String reason;

  Merge(String reason) {
    this.reason = reason;
  }

  /** Whether the second value is effective. */
  abstract boolean prefersSecond(Object first, Object second);

  /** The value that is effective. */
  Object together(Object first, Object second) {
    return prefersSecond(first, second) ? second : first;
  }

  /** Whether both count, so that it need be neither. */
  boolean isSum() {
    return false;
  }

  /** Why the other value lost. */
  String reason(ValueOrigin second) {
    return reason.formatted(second.inWords());
  }
}
