package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.method.QueueMethod;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;

/**
 * Cuts a stream of bytes into frames and hands them to a {@link FrameHandler}.
 *
 * <p>Most frames that a broker reads belong to messages, and a small message consists of three
 * frames that a client writes at once: publish, header, body. If all three are complete in the
 * buffer and consistent, they are handed over as one message, without creating an object or
 * copying. Otherwise each frame is handed over by itself, and the handler checks their order: the
 * decoder keeps no state between frames. Sizes that a client claims are compared and never
 * allocated.
 *
 * <p>Not thread safe.
 */
public final class FrameDecoder {
  private static final int PUBLISH = BasicMethod.CLASS_ID << 16 | BasicMethod.Publish.METHOD_ID;
  private static final int ACK = BasicMethod.CLASS_ID << 16 | BasicMethod.Ack.METHOD_ID;

  private static final int DECLARE = QueueMethod.CLASS_ID << 16 | QueueMethod.Declare.METHOD_ID;

  /** Ids, delivery tag, bits. */
  private static final int ACK_BYTES = 4 + 8 + 1;

  /** Ids, ticket, two empty strings, bits. */
  private static final int LEAST_PUBLISH_BYTES = 4 + 2 + 1 + 1 + 1;

  /** The offset of the exchange in a publish's payload. */
  private static final int PUBLISH_EXCHANGE = 4 + 2;

  /** The offset of the queue in a declare's payload. */
  private static final int DECLARE_QUEUE = 4 + 2;

  /** Ids, ticket, an empty string, bits, an empty table. */
  private static final int LEAST_DECLARE_BYTES = 4 + 2 + 1 + 1 + 4;

  /** Of a declare: passive, exclusive, no-wait. */
  private static final int DECLARE_BITS = 1 | 4 | 16;

  private static final int DECLARE_NO_WAIT = 16;

  /** Class basic and weight 0 in a content header. */
  private static final int BASIC_WEIGHT_0 = BasicMethod.CLASS_ID << 16;

  private final FrameHandler handler;
  private final ShortStringCache names = new ShortStringCache();
  private final BufferedMessage message = new BufferedMessage();
  private int maxPayload;
  private int toleratedPayload;
  private boolean wholeMessages = true;

  /**
   * Creates a decoder for one connection.
   *
   * @param frameMax the largest frame in bytes, overhead included; 0 for no limit
   */
  public FrameDecoder(FrameHandler handler, int frameMax) {
    this.handler = handler;
    setFrameMax(frameMax);
  }

  /**
   * Sets whether messages that are complete in the buffer are handed over in one call, which is the
   * default; otherwise each frame is, so that the handler can suspend between them.
   */
  public void setWholeMessages(boolean whole) {
    wholeMessages = whole;
  }

  /**
   * Sets the limit for the frames to come, also from within a callback.
   *
   * @param frameMax the largest frame in bytes, overhead included; 0 for no limit
   */
  public void setFrameMax(int frameMax) {
    maxPayload = FrameLimits.maxPayload(frameMax);
    // Many clients take frame-max for the limit of the payload; RabbitMQ tolerates that.
    toleratedPayload = frameMax == 0 ? maxPayload : frameMax;
  }

  /**
   * Decodes all complete frames and leaves a partial one unread. After a {@link
   * ConnectionException} frame boundaries are lost, and no more may be decoded.
   *
   * @throws ConnectionException FRAME_ERROR for a frame that is too large, of no known type, with a
   *     wrong end octet or a payload that is not what its type calls for; UNEXPECTED_FRAME for a
   *     heartbeat on a channel or content on channel 0; and what {@link Method#decode} throws
   */
  public void decode(ByteBuf in) {
    while (!handler.isSuspended() || isDeclareNext(in)) {
      int start = in.readerIndex();
      int readable = in.writerIndex() - start;
      if (readable < FrameLimits.HEADER_BYTES) {
        return;
      }
      int type = in.getUnsignedByte(start);
      int size = checkedSize(type, in.getInt(start + 3));
      if (readable - FrameLimits.OVERHEAD_BYTES < size) {
        return;
      }
      int payload = start + FrameLimits.HEADER_BYTES;
      if (in.getUnsignedByte(payload + size) != FrameType.END) {
        throw FrameErrors.badEnd(type, in, payload, size);
      }
      in.readerIndex(payload + size + 1);
      dispatch(type, in.getUnsignedShort(start + 1), in, payload, size);
    }
  }

  /**
   * Returns whether the handler wants the next frame although it is suspended: a declaration that
   * stands for itself. What is damaged is left until the handler goes on.
   */
  private boolean isDeclareNext(ByteBuf in) {
    int channel = handler.channelOfDeclares();
    int start = in.readerIndex();
    int size = wholePayload(in, start, in.writerIndex(), FrameType.METHOD, channel);
    if (size < LEAST_DECLARE_BYTES) {
      return false;
    }
    int payload = start + FrameLimits.HEADER_BYTES;
    int queueAt = payload + DECLARE_QUEUE;
    int bitsAt = queueAt + 1 + in.getUnsignedByte(queueAt);
    return in.getInt(payload) == DECLARE
        && bitsAt < payload + size
        && (in.getByte(bitsAt) & DECLARE_BITS) == DECLARE_NO_WAIT;
  }

  private int checkedSize(int type, int size) {
    if (size < 0 || size > toleratedPayload) {
      throw FrameErrors.tooLarge(type, size & 0xFFFF_FFFFL, maxPayload);
    }
    // Refused at once, without waiting for the payload: after an unknown type the size is not
    // reliable.
    if (type == 0 || (type > FrameType.BODY && type != FrameType.HEARTBEAT)) {
      throw FrameErrors.unknownType(type);
    }
    return size;
  }

  private void dispatch(int type, int channel, ByteBuf in, int payload, int size) {
    switch (type) {
      case FrameType.METHOD -> method(channel, in, payload, size);
      case FrameType.HEADER -> contentHeader(channel, in, payload, size);
      case FrameType.BODY -> {
        if (channel == 0) {
          throw FrameErrors.unexpected(type, in, payload, size);
        }
        handler.onContentBody(channel, in, payload, size);
      }
      default -> heartbeat(channel, in, payload, size);
    }
  }

  private void method(int channel, ByteBuf in, int payload, int size) {
    if (size < 4) {
      throw FrameErrors.unknownFrame(FrameType.METHOD, in, payload, size);
    }
    int ids = in.getInt(payload);
    if (ids == PUBLISH && publish(channel, in, payload, size)) {
      return;
    }
    if (ids == ACK && size == ACK_BYTES) {
      handler.onAck(channel, in.getLong(payload + 4), (in.getByte(payload + 12) & 1) != 0);
      return;
    }
    handler.onMethod(channel, Method.decode(in, payload, size));
  }

  /** Handles a publish; returns false if its fields do not fill the frame exactly. */
  private boolean publish(int channel, ByteBuf in, int payload, int size) {
    int end = payload + size;
    if (size < LEAST_PUBLISH_BYTES) {
      return false;
    }
    int exchangeAt = payload + PUBLISH_EXCHANGE;
    int routingKeyAt = exchangeAt + 1 + in.getUnsignedByte(exchangeAt);
    if (routingKeyAt >= end) {
      return false;
    }
    int bitsAt = routingKeyAt + 1 + in.getUnsignedByte(routingKeyAt);
    if (bitsAt != end - 1) {
      return false;
    }
    ShortString exchange = names.get(in, exchangeAt);
    ShortString routingKey = names.get(in, routingKeyAt);
    int bits = in.getByte(bitsAt);
    boolean mandatory = (bits & 1) != 0;
    boolean immediate = (bits & 2) != 0;
    if (wholeMessages && hasWholeContent(channel, in, end + 1)) {
      message.setPublish(exchange, routingKey, mandatory, immediate);
      handler.onMessage(channel, message);
    } else {
      handler.onPublish(channel, exchange, routingKey, mandatory, immediate);
    }
    return true;
  }

  /**
   * Takes the content of a message if what is at {@code headerFrame} is complete and valid;
   * otherwise changes nothing and returns false.
   */
  private boolean hasWholeContent(int channel, ByteBuf in, int headerFrame) {
    int limit = in.writerIndex();
    int size = wholePayload(in, headerFrame, limit, FrameType.HEADER, channel);
    if (size < FrameLimits.CONTENT_HEADER_BYTES + 2) {
      return false;
    }
    int payload = headerFrame + FrameLimits.HEADER_BYTES;
    if (in.getInt(payload) != BASIC_WEIGHT_0) {
      return false;
    }
    long bodySize = in.getLong(payload + 4);
    int body = payload + size + 1;
    int end = body;
    if (bodySize < 0) {
      return false;
    }
    if (bodySize != 0) {
      if (wholePayload(in, body, limit, FrameType.BODY, channel) != bodySize) {
        return false;
      }
      body += FrameLimits.HEADER_BYTES;
      end = body + (int) bodySize + 1;
    }
    in.readerIndex(end);
    message.setContent(
        in,
        payload + FrameLimits.CONTENT_HEADER_BYTES,
        size - FrameLimits.CONTENT_HEADER_BYTES,
        body,
        (int) bodySize);
    return true;
  }

  /**
   * Returns the payload size of the frame at {@code index} if it is complete, allowed, and of that
   * type and channel, which is not 0; else -1.
   */
  private int wholePayload(ByteBuf in, int index, int limit, int type, int channel) {
    int room = limit - index - FrameLimits.OVERHEAD_BYTES;
    if (room < 0 || channel == 0) {
      return -1;
    }
    // Type, channel, size, and one octet more, which is the payload's first or the frame's last.
    long head = in.getLong(index);
    int size = (int) (head >>> 8);
    return head >>> 40 == ((long) type << 16 | channel)
            && size >= 0
            && size <= Math.min(room, toleratedPayload)
            && in.getUnsignedByte(index + FrameLimits.HEADER_BYTES + size) == FrameType.END
        ? size
        : -1;
  }

  private void contentHeader(int channel, ByteBuf in, int payload, int size) {
    if (size < FrameLimits.CONTENT_HEADER_BYTES) {
      throw FrameErrors.unknownFrame(FrameType.HEADER, in, payload, size);
    }
    if (channel == 0) {
      throw FrameErrors.unexpected(FrameType.HEADER, in, payload, size);
    }
    int classId = in.getUnsignedShort(payload);
    if (in.getShort(payload + 2) != 0) {
      throw FrameErrors.weighty(classId);
    }
    long bodySize = in.getLong(payload + 4);
    if (bodySize < 0) {
      throw FrameErrors.bodyTooLarge(bodySize);
    }
    int list = payload + FrameLimits.CONTENT_HEADER_BYTES;
    handler.onContentHeader(
        channel, classId, bodySize, in, list, size - FrameLimits.CONTENT_HEADER_BYTES);
  }

  private void heartbeat(int channel, ByteBuf in, int payload, int size) {
    if (size != 0) {
      throw FrameErrors.unknownFrame(FrameType.HEARTBEAT, in, payload, size);
    }
    if (channel != 0) {
      throw FrameErrors.unexpected(FrameType.HEARTBEAT, in, payload, size);
    }
    handler.onHeartbeat(channel);
  }
}
