package io.mayflymq.core.policy;

/**
 * The settings of streams only.
 *
 * @param maxAgeMillis how old its messages may be, 0 or more, or {@link QueueSettings#NONE}
 * @param segmentBytes the size at which a segment ends, 0 or more, or {@link QueueSettings#NONE}
 */
public record StreamSettings(long maxAgeMillis, long segmentBytes) {
  /** The largest size of a segment that may be configured, in bytes. */
  public static final long MOST_SEGMENT_BYTES = 3_000_000_000L;

  static StreamSettings of(QueueValues values) {
    String age = values.text(PolicyKey.MAX_AGE);
    return new StreamSettings(
        age == null ? QueueSettings.NONE : MaxAge.millis(age).orElse(QueueSettings.NONE),
        values.number(PolicyKey.STREAM_MAX_SEGMENT_SIZE_BYTES));
  }
}
