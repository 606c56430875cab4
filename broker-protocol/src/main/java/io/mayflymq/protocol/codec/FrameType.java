package io.mayflymq.protocol.codec;

/** The types of frames (AMQP 0-9-1, section 4.2.3), and the octet that ends them all. */
public final class FrameType {
  public static final int METHOD = 1;
  public static final int HEADER = 2;
  public static final int BODY = 3;
  public static final int HEARTBEAT = 8;

  /** The last octet of every frame, 0xCE. */
  public static final int END = 0xCE;

  private FrameType() {}
}
