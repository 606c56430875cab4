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

  /** Without any argument or policy. */
  public static final StreamSettings DEFAULT =
      new StreamSettings(QueueSettings.NONE, QueueSettings.NONE);
}
