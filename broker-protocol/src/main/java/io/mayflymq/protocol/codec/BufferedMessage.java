package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;

/**
 * A message that is completely in a buffer: its publish, its header, and its body in one frame or
 * empty. A {@link FrameDecoder} has one and uses it again, so it is valid for the duration of a
 * call to {@link FrameHandler#onMessage} only.
 */
public final class BufferedMessage {
  private ShortString exchange;
  private ShortString routingKey;
  private boolean mandatory;
  private boolean immediate;
  private ByteBuf in;
  private int propertiesIndex;
  private int propertiesLength;
  private int bodyIndex;
  private int bodyLength;

  BufferedMessage() {}

  void setPublish(
      ShortString toExchange, ShortString withKey, boolean isMandatory, boolean isImmediate) {
    exchange = toExchange;
    routingKey = withKey;
    mandatory = isMandatory;
    immediate = isImmediate;
  }

  /** Sets where in a buffer the flags and the property list are, and the body. */
  void setContent(ByteBuf buffer, int propertiesAt, int propertiesSize, int bodyAt, int bodySize) {
    in = buffer;
    propertiesIndex = propertiesAt;
    propertiesLength = propertiesSize;
    bodyIndex = bodyAt;
    bodyLength = bodySize;
  }

  /** Returns the exchange of the publish. */
  public ShortString exchange() {
    return exchange;
  }

  /** Returns the routing key of the publish. */
  public ShortString routingKey() {
    return routingKey;
  }

  /** Returns whether the publish is mandatory. */
  public boolean isMandatory() {
    return mandatory;
  }

  /** Returns whether the publish is immediate. */
  public boolean isImmediate() {
    return immediate;
  }

  /** Returns the bytes of the property flags and the property list, unchecked. */
  public int propertiesLength() {
    return propertiesLength;
  }

  /** Returns the bytes of the body. */
  public int bodyLength() {
    return bodyLength;
  }

  /** Returns a copy of the property flags and the property list, and then the body. */
  public byte[] copyContent() {
    byte[] content = new byte[propertiesLength + bodyLength];
    in.getBytes(propertiesIndex, content, 0, propertiesLength);
    in.getBytes(bodyIndex, content, propertiesLength, bodyLength);
    return content;
  }
}
