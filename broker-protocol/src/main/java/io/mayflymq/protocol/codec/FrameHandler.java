package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;

/**
 * Receives the frames that a {@link FrameDecoder} has decoded, on the thread that called it.
 *
 * <p>A buffer is valid for the duration of the call only: indexes are absolute, its reader index
 * has no meaning, and bytes must be copied to be kept. An exception from a call is thrown by {@link
 * FrameDecoder#decode}, with the frames in question consumed, so that a channel error can be
 * answered and decoding can continue.
 */
public interface FrameHandler {

  /** A method other than basic.publish and basic.ack. */
  void onMethod(int channel, Method method);

  /** A basic.publish whose content is incomplete or malformed. */
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
   * @param bodySize bytes that are to follow, as claimed by the client; 0 or more, unchecked
   * @param index where the property flags start
   * @param length bytes of the flags and the property list, unchecked
   */
  void onContentHeader(int channel, int classId, long bodySize, ByteBuf in, int index, int length);

  /** A piece of a body, expected or not; never on channel 0. */
  void onContentBody(int channel, ByteBuf in, int index, int length);

  /** A message of class basic that is complete in the buffer; never on channel 0. */
  void onMessage(int channel, BufferedMessage message);

  /** A heartbeat; the channel is 0. */
  void onHeartbeat(int channel);

  /**
   * Returns whether the decoder must stop here and leave the rest unread; called before each frame.
   */
  boolean isSuspended();

  /**
   * Returns the channel of which a queue.declare may be handed over although the handler is
   * suspended, if the client asks for no answer; 0 for none. Called only while it is.
   */
  default int channelOfDeclares() {
    return 0;
  }
}
