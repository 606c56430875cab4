package io.mayflymq.core.policy;

/**
 * Which messages can be brought back after they have left a queue.
 *
 * @param windowMillis for how long, more than 0; 0 if not at all
 * @param mostBytes how many bytes they may take together, 0 or more
 * @param acked whether those that were acknowledged can be brought back, too
 */
public record RecoverableSettings(long windowMillis, long mostBytes, boolean acked) {
  /** The bytes if nothing sets them. */
  public static final long MOST_BYTES = 1L << 30;

  static RecoverableSettings of(QueueValues values) {
    long window =
        values.type() == QueueType.STREAM
            ? QueueSettings.NONE
            : values.number(PolicyKey.RECOVERABLE);
    long bytes = values.number(PolicyKey.RECOVERABLE_BYTES);
    return new RecoverableSettings(
        Math.max(0, window),
        bytes == QueueSettings.NONE ? MOST_BYTES : bytes,
        window > 0 && values.is(PolicyKey.RECOVERABLE_ACKED, true));
  }

  /** Whether any can be brought back. */
  public boolean isOn() {
    return windowMillis > 0;
  }
}
