package io.mayflymq.protocol.codec;

/** The sizes of frames, in bytes. */
public final class FrameLimits {
  /** The bytes before the payload: type, channel and payload size. */
  public static final int HEADER_BYTES = 7;

  /** The bytes of a frame beyond its payload: the header and the end octet. */
  public static final int OVERHEAD_BYTES = 8;

  /** The bytes before the property flags in a content header: class, weight and body size. */
  public static final int CONTENT_HEADER_BYTES = 12;

  /**
   * The smallest frame-max that may be negotiated, and the one that holds until it is (AMQP 0-9-1,
   * constant frame-min-size).
   */
  public static final int MIN_FRAME_MAX = 4096;

  /** The smallest frame-max that RabbitMQ 4 accepts. */
  public static final int LEAST_OF_RABBITMQ_4 = 8192;

  /** The frame-max that RabbitMQ proposes by default. */
  public static final int DEFAULT_FRAME_MAX = 131072;

  private FrameLimits() {}

  /**
   * Returns the largest payload of a frame.
   *
   * @param frameMax the largest frame in all, 0 for no limit; else at least 8
   */
  public static int maxPayload(int frameMax) {
    if (frameMax < 0 || (frameMax > 0 && frameMax < OVERHEAD_BYTES)) {
      throw new IllegalArgumentException("frame-max " + frameMax);
    }
    return (frameMax == 0 ? Integer.MAX_VALUE : frameMax) - OVERHEAD_BYTES;
  }
}
