package io.mayflymq.server.connection;

import io.mayflymq.protocol.codec.ContentFrames;
import io.mayflymq.protocol.codec.FrameHandler;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.ChannelMethod;
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
      if (channel != 0 && connection.isInHandshake()) {
        throw new ConnectionException(
            ReplyCode.UNEXPECTED_FRAME,
            "method on channel %d before the connection is open".formatted(channel));
      } else if (channel == 0) {
        connection.onMethod(method);
      } else if (connection.isOpen()) {
        onChannelMethod(channel, method);
      }
    } catch (AmqpException e) {
      connection.fail(channel, of(e, method.classId(), method.methodId()));
    }
    connection.turn().spendMuch();
  }

  private void onChannelMethod(int number, Method method) {
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
    if (channel == 0 || !connection.isOpen()) {
      onMethod(
          channel,
          new BasicMethod.Publish(exchange.value(), routingKey.value(), mandatory, immediate));
      return;
    }
    try {
      ChannelSession session = connection.channels().require(channel);
      if (session != null) {
        session.onPublish(exchange, routingKey, mandatory, immediate);
      } else {
        connection.channels().framesOfOther(channel).publish();
      }
    } catch (AmqpException e) {
      connection.fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID));
    }
  }

  @Override
  public void onContentHeader(
      int channel, int classId, long bodySize, ByteBuf in, int index, int length) {
    onContent(
        channel,
        session -> session.onContentHeader(classId, bodySize, in, index, length),
        frames -> frames.header(classId, bodySize));
  }

  @Override
  public void onContentBody(int channel, ByteBuf in, int index, int length) {
    onContent(
        channel,
        session -> session.onContentBody(in, index, length),
        frames -> frames.body(length));
  }

  private void onContent(
      int channel, Consumer<ChannelSession> action, Consumer<ContentFrames> otherwise) {
    if (!connection.isOpen()) {
      refuseUnlessClosing(channel);
      return;
    }
    try {
      ChannelSession session = connection.channels().find(channel);
      if (session != null) {
        action.accept(session);
      } else {
        otherwise.accept(connection.channels().framesOfOther(channel));
      }
    } catch (AmqpException e) {
      connection.fail(channel, e);
    }
    if (connection.isOpen()) {
      connection.publishBlocker().contentReceived();
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
      } else {
        connection.channels().framesOfOther(channel).method();
      }
    } catch (AmqpException e) {
      connection.fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID));
    }
  }

  @Override
  public void onAck(int channel, long deliveryTag, boolean multiple) {
    if (channel == 0 || !connection.isOpen()) {
      onMethod(channel, new BasicMethod.Ack(deliveryTag, multiple));
      return;
    }
    try {
      ChannelSession session = connection.channels().require(channel);
      if (session != null) {
        session.onAck(deliveryTag, multiple);
      } else {
        connection.channels().framesOfOther(channel).method();
      }
    } catch (AmqpException e) {
      connection.fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Ack.METHOD_ID));
    }
  }

  /** Returns an error that names a method, unless it already names one. */
  private static AmqpException of(AmqpException error, int classId, int methodId) {
    return error.classId() == 0 ? error.withMethod(classId, methodId) : error;
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
