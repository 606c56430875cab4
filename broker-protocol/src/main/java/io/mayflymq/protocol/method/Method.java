package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.netty.buffer.ByteBuf;

/** A method of AMQP 0-9-1: a command or an answer to one, in either direction. */
public sealed interface Method
    permits AccessMethod,
        BasicMethod,
        ChannelMethod,
        ConfirmMethod,
        ConnectionMethod,
        ExchangeMethod,
        QueueMethod,
        TxMethod {

  int classId();

  int methodId();

  /** Returns whether a content header and a body follow. */
  default boolean hasContent() {
    return false;
  }

  /**
   * Writes the fields, without the ids of class and method: nothing for a method that has none.
   *
   * @throws IllegalArgumentException if a short string has more than 255 bytes
   */
  default void write(ByteBuf out) {}

  /**
   * Reads a method from the payload of a method frame. The indexes of {@code in} are not moved.
   *
   * @param index where the class id stands, absolute
   * @param length of the payload in bytes
   * @throws ConnectionException FRAME_ERROR if the fields do not fill the payload exactly, as in
   *     RabbitMQ; SYNTAX_ERROR if a table or a text in them is malformed; COMMAND_INVALID if there
   *     is no such method (RabbitMQ drops the connection without a word there)
   */
  static Method decode(ByteBuf in, int index, int length) {
    MethodReader reader = new MethodReader(in, index, length);
    int classId = reader.uint16();
    int methodId = reader.uint16();
    Method method;
    try {
      method = read(classId, methodId, reader);
      reader.expectEnd();
    } catch (ConnectionException e) {
      throw e.withMethod(classId, methodId);
    }
    return method;
  }

  private static Method read(int classId, int methodId, MethodReader in) {
    Method method =
        switch (classId) {
          case BasicMethod.CLASS_ID -> BasicMethod.read(methodId, in);
          case QueueMethod.CLASS_ID -> QueueMethod.read(methodId, in);
          case ExchangeMethod.CLASS_ID -> ExchangeMethod.read(methodId, in);
          case ChannelMethod.CLASS_ID -> ChannelMethod.read(methodId, in);
          case ConnectionMethod.CLASS_ID -> ConnectionMethod.read(methodId, in);
          case ConfirmMethod.CLASS_ID -> ConfirmMethod.read(methodId, in);
          case TxMethod.CLASS_ID -> TxMethod.read(methodId, in);
          case AccessMethod.CLASS_ID -> AccessMethod.read(methodId, in);
          default -> null;
        };
    if (method == null) {
      throw new ConnectionException(
          ReplyCode.COMMAND_INVALID, "unknown method " + methodId + " of class " + classId);
    }
    return method;
  }
}
