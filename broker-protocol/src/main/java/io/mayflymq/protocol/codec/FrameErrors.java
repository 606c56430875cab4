package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.netty.buffer.ByteBuf;

/** The errors of framing, in the words of RabbitMQ's reader. */
final class FrameErrors {
  private static final int MOST_BYTES_SHOWN = 16;

  private FrameErrors() {}

  static ConnectionException tooLarge(int type, long size, int maxPayload) {
    return frameError(
        "type " + type + ", all octets = <<>>: {frame_too_large," + size + "," + maxPayload + "}");
  }

  static ConnectionException unknownType(int type) {
    return frameError("type " + type + ": unknown_frame");
  }

  static ConnectionException badEnd(int type, ByteBuf in, int payload, int size) {
    return frameError(
        describe(type, in, payload, size)
            + ": {invalid_frame_end_marker,"
            + in.getUnsignedByte(payload + size)
            + "}");
  }

  static ConnectionException unknownFrame(int type, ByteBuf in, int payload, int size) {
    return frameError(describe(type, in, payload, size) + ": unknown_frame");
  }

  static ConnectionException bodyTooLarge(long bodySize) {
    return frameError(
        "content body size "
            + Long.toUnsignedString(bodySize)
            + " exceeds maximum allowed size "
            + Long.MAX_VALUE);
  }

  static ConnectionException unexpected(int type, ByteBuf in, int payload, int size) {
    return new ConnectionException(ReplyCode.UNEXPECTED_FRAME, describe(type, in, payload, size));
  }

  static ConnectionException weighty(int classId) {
    return new ConnectionException(
        ReplyCode.UNEXPECTED_FRAME,
        "expected content header for class " + classId + ", got non content header frame instead");
  }

  private static ConnectionException frameError(String detail) {
    return new ConnectionException(ReplyCode.FRAME_ERROR, detail);
  }

  private static String describe(int type, ByteBuf in, int payload, int size) {
    StringBuilder text = new StringBuilder("type ").append(type);
    text.append(size <= MOST_BYTES_SHOWN ? ", all octets = <<" : ", first 16 octets = <<");
    for (int i = 0; i < Math.min(size, MOST_BYTES_SHOWN); i++) {
      text.append(i == 0 ? "" : ",").append(in.getUnsignedByte(payload + i));
    }
    return text.append(">>").toString();
  }
}
