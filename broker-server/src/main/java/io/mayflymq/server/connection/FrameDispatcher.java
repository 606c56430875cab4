package io.mayflymq.server.connection;

import io.mayflymq.protocol.codec.FrameHandler;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.ChannelMethod;
import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.channel.ChannelSession;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Passes decoded frames to the connection or one of its channels, and errors to the connection,
 * which decides whether an error closes the channel or the connection.
 */
final class FrameDispatcher implements FrameHandler {
  private final AmqpConnection connection;
  private Method currentMethod;

  FrameDispatcher(AmqpConnection connection) {
    this.connection = connection;
  }

  Method currentMethod() {
    return currentMethod;
  }

  @Override
  public boolean isSuspended() {
    return connection.isSuspended();
  }

  @Override
  public int channelOfDeclares() {
    return connection.channelOfDeclares();
  }

  @Override
  public void onMethod(int channel, Method method) {
    currentMethod = method;
    try {
      if (channel == 0 || connection.isInHandshake()) {
        connection.onMethod(method);
      } else if (connection.isOpen()) {
        onChannelMethod(channel, method);
      }
    } catch (AmqpException e) {
      connection.fail(
          channel, e.classId() == 0 ? e.withMethod(method.classId(), method.methodId()) : e);
    }
    connection.turn().spendMuch();
  }

  private void onChannelMethod(int number, Method method) {
    if (method instanceof ConnectionMethod) {
      throw new ConnectionException(
          ReplyCode.COMMAND_INVALID, "connection method on channel %d".formatted(number));
    }
    Channels channels = connection.channels();
    if (channels.isClosing(number)) {
      channels.whileClosing(number, method);
    } else if (method instanceof ChannelMethod.Open && !channels.contains(number)) {
      channels.open(number);
    } else {
      channels.require(number).onMethod(method);
    }
  }

  @Override
  public void onPublish(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate) {
    onContent(channel, session -> session.onPublish(exchange, routingKey, mandatory, immediate));
  }

  @Override
  public void onContentHeader(
      int channel, int classId, long bodySize, ByteBuf in, int index, int length) {
    onContent(channel, session -> session.onContentHeader(classId, bodySize, in, index, length));
    blockIfAlarmed();
  }

  @Override
  public void onContentBody(int channel, ByteBuf in, int index, int length) {
    onContent(channel, session -> session.onContentBody(in, index, length));
    blockIfAlarmed();
  }

  private void blockIfAlarmed() {
    if (connection.isOpen()) {
      connection.publishBlocker().contentReceived();
    }
  }

  private void onContent(int channel, Consumer<ChannelSession> action) {
    if (!connection.isOpen()) {
      refuseUnlessClosing(channel);
      return;
    }
    try {
      ChannelSession session = connection.channels().require(channel);
      if (session != null) {
        action.accept(session);
      }
    } catch (AmqpException e) {
      connection.fail(channel, e);
    }
  }

  @Override
  public void onMessage(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate,
      ByteBuf in,
      int propertiesIndex,
      int propertiesLength,
      int bodyIndex,
      int bodyLength) {
    if (!connection.isOpen()) {
      refuseUnlessClosing(channel);
      return;
    }
    try {
      ChannelSession session = connection.channels().require(channel);
      if (session != null) {
        session.onMessage(
            exchange,
            routingKey,
            mandatory,
            immediate,
            in,
            propertiesIndex,
            propertiesLength,
            bodyIndex,
            bodyLength);
      }
    } catch (AmqpException e) {
      connection.fail(channel, e);
    }
  }

  @Override
  public void onAck(int channel, long deliveryTag, boolean multiple) {
    if (!connection.isOpen()) {
      refuseUnlessClosing(channel);
      return;
    }
    try {
      ChannelSession session = connection.channels().require(channel);
      if (session != null) {
        session.onAck(deliveryTag, multiple);
      }
    } catch (AmqpException e) {
      connection.fail(channel, e.withMethod(BasicMethod.CLASS_ID, BasicMethod.Ack.METHOD_ID));
    }
  }

  private void refuseUnlessClosing(int channel) {
    if (connection.isInHandshake()) {
      connection.fail(
          channel,
          new ConnectionException(
              ReplyCode.UNEXPECTED_FRAME, "content before the connection is open"));
    }
  }

  @Override
  public void onHeartbeat(int channel) {
    // heard() has already noted that something was received.
  }
}
