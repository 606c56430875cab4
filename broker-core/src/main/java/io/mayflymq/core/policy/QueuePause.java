package io.mayflymq.core.policy;

import java.util.Map;

/**
 * The pause of a single queue: an operator policy that adds {@link PolicyKey#PAUSE}, and {@link
 * PolicyKey#PAUSE_TTL} if that is asked, to what other policies say. So it is kept, replicated,
 * exported and explained as all policies are, and it stays for a queue that is deleted and declared
 * again.
 */
public final class QueuePause {
  private static final String PREFIX = "pause:";

  /** The longest name of a queue that can be paused so. */
  public static final int MOST_NAME_BYTES = ValueValidator.MAX_NAME_BYTES - PREFIX.length();

  private QueuePause() {}

  /** Returns the name of the policy. */
  public static String nameOf(String queue) {
    return PREFIX + queue;
  }

  /**
   * Returns the policy.
   *
   * @param ttl what becomes of the TTL of messages while deliveries wait; null to leave that to
   *     other policies
   * @throws PolicyException if the name of the queue is too long for that of a policy
   */
  public static Policy of(String queue, Pause pause, PauseTtl ttl) {
    return Policy.of(
            PolicyKind.OPERATOR_POLICY,
            nameOf(queue),
            "^" + quoted(queue) + "$",
            ApplyTo.QUEUES.wireName(),
            Integer.MAX_VALUE,
            ttl == null
                ? Map.of(PolicyKey.PAUSE.wireName(), pause.word())
                : Map.of(
                    PolicyKey.PAUSE.wireName(),
                    pause.word(),
                    PolicyKey.PAUSE_TTL.wireName(),
                    ttl.word()))
        .merging(true);
  }

  /** Returns whether a policy that has the name of a queue's pause is one. */
  public static boolean is(Policy policy, String queue) {
    Pause pause = pauseOf(policy);
    return pause != null && policy.equals(of(queue, pause, ttlOf(policy)));
  }

  /** Returns what a policy pauses; null if nothing. */
  public static Pause pauseOf(Policy policy) {
    return word(policy, PolicyKey.PAUSE, Pause.class);
  }

  /** Returns what a policy says of the TTL of messages while deliveries wait; null if nothing. */
  public static PauseTtl ttlOf(Policy policy) {
    return word(policy, PolicyKey.PAUSE_TTL, PauseTtl.class);
  }

  private static <E extends Enum<E>> E word(Policy policy, PolicyKey key, Class<E> type) {
    Object word = policy.definition().get(key);
    return word == null ? null : EnumNames.constant(type, (String) word).orElseThrow();
  }

  /** Returns the regular expression for a text. */
  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder();
    text.codePoints()
        .forEach(
            point -> {
              if (point < 128 && !Character.isLetterOrDigit(point) && point > ' ') {
                quoted.append('\\');
              }
              quoted.appendCodePoint(point);
            });
    return quoted.toString();
  }
}
