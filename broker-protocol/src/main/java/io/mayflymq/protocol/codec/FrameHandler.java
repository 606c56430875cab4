package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;

/**
 * Takes what a {@link FrameDecoder} finds, on the thread that called it.
 *
 * <p>A buffer is lent for the duration of the call: indexes are absolute, its reader index says
 * nothing, and whoever wants to keep bytes copies them. An exception from a call comes out of
 * {@link FrameDecoder#decode}, with the frames in question consumed, so that a channel's failure
 * can be answered and decoding go on.
 */
public interface FrameHandler {

  /** A method other than basic.publish and basic.ack. */
  void onMethod(int channel, Method method);

  /** A basic.publish whose content is not whole yet, or not as it should be. */
  void onPublish(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate);

  /** A basic.ack. */
  void onAck(int channel, long deliveryTag, boolean multiple);

  /**
   * A content header, expected or not; never on channel 0.
   *
   * @param bodySize bytes that are to follow, from 0 to as much as the client cares to claim
   * @param index where the property flags start
   * @param length bytes of the flags and the property list, unchecked
   */
  void onContentHeader(int channel, int classId, long bodySize, ByteBuf in, int index, int length);

  /** A piece of a body, expected or not; never on channel 0. */
  void onContentBody(int channel, ByteBuf in, int index, int length);

  /**
   * A whole message of class basic: its publish, its header, and its body in one frame or empty.
   * Never on channel 0.
   *
   * @param propertiesIndex where the property flags start
   * @param propertiesLength bytes of the flags and the property list, unchecked
   */
  void onMessage(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate,
      ByteBuf in,
      int propertiesIndex,
      int propertiesLength,
      int bodyIndex,
      int bodyLength);

  /** A heartbeat; the channel is 0. */
  void onHeartbeat(int channel);

  /** Whether the decoder shall stop here and leave the rest unread: asked before each frame. */
  boolean isSuspended();
}
