package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;

/** Passes everything on, for tests to override what they care about. */
class Relay implements FrameHandler {
  private final FrameHandler next;

  Relay(FrameHandler next) {
    this.next = next;
  }

  @Override
  public void onMethod(int channel, Method method) {
    next.onMethod(channel, method);
  }

  @Override
  public void onPublish(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate) {
    next.onPublish(channel, exchange, routingKey, mandatory, immediate);
  }

  @Override
  public void onAck(int channel, long deliveryTag, boolean multiple) {
    next.onAck(channel, deliveryTag, multiple);
  }

  @Override
  public void onContentHeader(
      int channel, int classId, long bodySize, ByteBuf in, int index, int length) {
    next.onContentHeader(channel, classId, bodySize, in, index, length);
  }

  @Override
  public void onContentBody(int channel, ByteBuf in, int index, int length) {
    next.onContentBody(channel, in, index, length);
  }

  @Override
  public void onMessage(int channel, BufferedMessage message) {
    next.onMessage(channel, message);
  }

  @Override
  public void onHeartbeat(int channel) {
    next.onHeartbeat(channel);
  }

  @Override
  public boolean isSuspended() {
    return next.isSuspended();
  }
}
