package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;

/**
 * Writes frames. Stateless; every method appends to a buffer, which grows as needed.
 *
 * <p>A content is an array with the property flags and list first, {@code propertiesLength} bytes,
 * and the body after them: the form in which a message is kept. A {@code frameMax} is the largest
 * frame in bytes with its overhead, 0 for no limit.
 *
 * <p>The end octet of one frame and the header of the next are 8 bytes together, and so is a
 * heartbeat: they are written as one number each.
 */
public final class FrameEncoder {
  private static final long HEARTBEAT = (long) FrameType.HEARTBEAT << 56 | FrameType.END;
  private static final int DELIVER = BasicMethod.CLASS_ID << 16 | BasicMethod.Deliver.METHOD_ID;
  private static final int ACK = BasicMethod.CLASS_ID << 16 | BasicMethod.Ack.METHOD_ID;
  private static final int NACK = BasicMethod.CLASS_ID << 16 | BasicMethod.Nack.METHOD_ID;

  /** Ids, delivery tag, bits: an ack, a nack. */
  private static final int SETTLEMENT_BYTES = 4 + 8 + 1;

  /** A deliver but for its strings: ids, delivery tag, bits. */
  private static final int DELIVER_FIXED_BYTES = 4 + 8 + 1;

  private static final int CONTENT_HEADER_FRAME_BYTES =
      FrameLimits.OVERHEAD_BYTES + FrameLimits.CONTENT_HEADER_BYTES;

  private FrameEncoder() {}

  /**
   * Writes a method frame. If it fails, nothing has been written.
   *
   * @throws IllegalArgumentException if a short string has more than 255 bytes
   */
  public static void method(ByteBuf out, int channel, Method method) {
    int start = out.writerIndex();
    try {
      frameHeader(out, FrameType.METHOD, channel, 0);
      out.writeInt(method.classId() << 16 | method.methodId());
      method.write(out);
      out.setInt(start + 3, out.writerIndex() - start - FrameLimits.HEADER_BYTES);
      out.writeByte(FrameType.END);
    } catch (RuntimeException e) {
      out.writerIndex(start);
      throw e;
    }
  }

  /** Writes a content header frame of class basic, the properties from the start of an array. */
  public static void contentHeader(
      ByteBuf out, int channel, byte[] content, int propertiesLength, long bodySize) {
    out.ensureWritable(CONTENT_HEADER_FRAME_BYTES + propertiesLength);
    int payload = FrameLimits.CONTENT_HEADER_BYTES + propertiesLength;
    frameHeader(out, FrameType.HEADER, channel, payload);
    contentHeaderPayload(out, content, propertiesLength, bodySize);
    out.writeByte(FrameType.END);
  }

  /** Writes a body in as many frames as it takes: none if it is empty. */
  public static void body(
      ByteBuf out, int channel, byte[] content, int offset, int length, int frameMax) {
    int max = FrameLimits.maxPayload(frameMax);
    for (int done = 0; done < length; ) {
      int size = Math.min(length - done, max);
      frameHeader(out, FrameType.BODY, channel, size);
      out.writeBytes(content, offset + done, size).writeByte(FrameType.END);
      done += size;
    }
  }

  /** Writes one body frame, which the caller has made small enough. */
  public static void bodyFrame(ByteBuf out, int channel, byte[] content, int offset, int length) {
    frameHeader(out, FrameType.BODY, channel, length);
    out.writeBytes(content, offset, length).writeByte(FrameType.END);
  }

  /** Writes one body frame, which the caller has made small enough; {@code body} is not moved. */
  public static void bodyFrame(ByteBuf out, int channel, ByteBuf body, int index, int length) {
    frameHeader(out, FrameType.BODY, channel, length);
    out.writeBytes(body, index, length).writeByte(FrameType.END);
  }

  /** Writes a whole delivery: basic.deliver, content header and body. */
  public static void deliver(
      ByteBuf out,
      int channel,
      ShortString consumerTag,
      long deliveryTag,
      boolean redelivered,
      ShortString exchange,
      ShortString routingKey,
      byte[] content,
      int propertiesLength,
      int bodyLength,
      int frameMax) {
    out.ensureWritable(
        deliverSize(consumerTag, exchange, routingKey, propertiesLength, bodyLength, frameMax));
    deliverHead(
        out,
        channel,
        consumerTag,
        deliveryTag,
        redelivered,
        exchange,
        routingKey,
        content,
        propertiesLength,
        bodyLength);
    body(out, channel, content, propertiesLength, bodyLength, frameMax);
  }

  /**
   * Writes the basic.deliver and content header frames of a delivery whose body the caller writes
   * frame by frame, as the peer takes it.
   *
   * @param content starts with the properties; the body is not looked at
   */
  public static void deliverHead(
      ByteBuf out,
      int channel,
      ShortString consumerTag,
      long deliveryTag,
      boolean redelivered,
      ShortString exchange,
      ShortString routingKey,
      byte[] content,
      int propertiesLength,
      long bodySize) {
    int strings = stringBytes(consumerTag, exchange, routingKey);
    out.ensureWritable(headBytes(strings, propertiesLength));
    frameHeader(out, FrameType.METHOD, channel, DELIVER_FIXED_BYTES + strings);
    out.writeInt(DELIVER);
    out.writeBytes(consumerTag.encoded());
    out.writeLong(deliveryTag);
    out.writeByte(redelivered ? 1 : 0);
    out.writeBytes(exchange.encoded());
    out.writeBytes(routingKey.encoded());
    endAndHeader(
        out, FrameType.HEADER, channel, FrameLimits.CONTENT_HEADER_BYTES + propertiesLength);
    contentHeaderPayload(out, content, propertiesLength, bodySize);
    out.writeByte(FrameType.END);
  }

  /**
   * Returns the bytes that {@link #deliver} writes.
   *
   * @throws ArithmeticException if they are more than an int can count
   */
  public static int deliverSize(
      ShortString consumerTag,
      ShortString exchange,
      ShortString routingKey,
      int propertiesLength,
      int bodyLength,
      int frameMax) {
    int strings = stringBytes(consumerTag, exchange, routingKey);
    return Math.addExact(
        headBytes(strings, propertiesLength), bodyFramesSize(bodyLength, frameMax));
  }

  /**
   * Returns the bytes of the frames that {@link #body} writes.
   *
   * @throws ArithmeticException if they are more than an int can count
   */
  public static int bodyFramesSize(int bodyLength, int frameMax) {
    int max = FrameLimits.maxPayload(frameMax);
    int frames = bodyLength <= max ? (bodyLength > 0 ? 1 : 0) : 1 + (bodyLength - 1) / max;
    return Math.toIntExact(bodyLength + (long) frames * FrameLimits.OVERHEAD_BYTES);
  }

  /** Writes a basic.ack. */
  public static void ack(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
    settlement(out, channel, ACK, deliveryTag, multiple ? 1 : 0);
  }

  /** Writes a basic.nack. */
  public static void nack(
      ByteBuf out, int channel, long deliveryTag, boolean multiple, boolean requeue) {
    settlement(out, channel, NACK, deliveryTag, (multiple ? 1 : 0) | (requeue ? 2 : 0));
  }

  /** Writes a heartbeat. */
  public static void heartbeat(ByteBuf out) {
    out.writeLong(HEARTBEAT);
  }

  private static void settlement(ByteBuf out, int channel, int ids, long deliveryTag, int bits) {
    out.ensureWritable(FrameLimits.OVERHEAD_BYTES + SETTLEMENT_BYTES);
    frameHeader(out, FrameType.METHOD, channel, SETTLEMENT_BYTES);
    out.writeInt(ids);
    out.writeLong(deliveryTag);
    out.writeShort(bits << 8 | FrameType.END);
  }

  private static int stringBytes(
      ShortString consumerTag, ShortString exchange, ShortString routingKey) {
    return consumerTag.encoded().length + exchange.encoded().length + routingKey.encoded().length;
  }

  private static int headBytes(int strings, int propertiesLength) {
    return FrameLimits.OVERHEAD_BYTES
        + DELIVER_FIXED_BYTES
        + strings
        + CONTENT_HEADER_FRAME_BYTES
        + propertiesLength;
  }

  private static void contentHeaderPayload(
      ByteBuf out, byte[] content, int propertiesLength, long bodySize) {
    out.writeInt(BasicMethod.CLASS_ID << 16);
    out.writeLong(bodySize);
    out.writeBytes(content, 0, propertiesLength);
  }

  private static void frameHeader(ByteBuf out, int type, int channel, int size) {
    out.writeByte(type).writeShort(channel).writeInt(size);
  }

  private static void endAndHeader(ByteBuf out, int type, int channel, int size) {
    out.writeLong(
        (long) FrameType.END << 56
            | (long) type << 48
            | (long) (channel & 0xFFFF) << 32
            | (size & 0xFFFF_FFFFL));
  }
}
