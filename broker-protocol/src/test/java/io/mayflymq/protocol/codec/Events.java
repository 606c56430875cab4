package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes down what a decoder finds, one line a call. A whole message is written down as the three
 * frames it was made of when {@code unfused}, so that the fast path and the slow one can be
 * compared.
 */
final class Events implements FrameHandler {
  final List<String> lines = new ArrayList<>();
  private final boolean unfused;

  Events(boolean unfused) {
    this.unfused = unfused;
  }

  private static String hex(ByteBuf in, int index, int length) {
    return HexFormat.of().formatHex(ByteBufUtil.getBytes(in, index, length));
  }

  @Override
  public void onMethod(int channel, Method method) {
    lines.add(channel + " " + method);
  }

  @Override
  public void onPublish(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate) {
    lines.add(
        channel
            + " "
            + new BasicMethod.Publish(exchange.value(), routingKey.value(), mandatory, immediate));
  }

  @Override
  public void onAck(int channel, long deliveryTag, boolean multiple) {
    lines.add(channel + " " + new BasicMethod.Ack(deliveryTag, multiple));
  }

  @Override
  public void onContentHeader(
      int channel, int classId, long bodySize, ByteBuf in, int index, int length) {
    lines.add(channel + " header " + classId + " " + bodySize + " " + hex(in, index, length));
  }

  @Override
  public void onContentBody(int channel, ByteBuf in, int index, int length) {
    lines.add(channel + " body " + hex(in, index, length));
  }

  @Override
  public void onMessage(int channel, BufferedMessage message) {
    ByteBuf content = Unpooled.wrappedBuffer(message.copyContent());
    int body = message.propertiesLength();
    ShortString exchange = message.exchange();
    ShortString routingKey = message.routingKey();
    if (unfused) {
      onPublish(channel, exchange, routingKey, message.isMandatory(), message.isImmediate());
      onContentHeader(channel, 60, message.bodyLength(), content, 0, body);
      if (message.bodyLength() > 0) {
        onContentBody(channel, content, body, message.bodyLength());
      }
    } else {
      lines.add(
          channel
              + " message "
              + exchange
              + " "
              + routingKey
              + (message.isMandatory() ? " mandatory" : "")
              + (message.isImmediate() ? " immediate" : "")
              + " "
              + hex(content, 0, body)
              + " "
              + hex(content, body, message.bodyLength()));
    }
  }

  @Override
  public void onHeartbeat(int channel) {
    lines.add(channel + " heartbeat");
  }

  @Override
  public boolean isSuspended() {
    return false;
  }
}
