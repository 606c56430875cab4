package io.mayflymq.server.channel;

import io.mayflymq.protocol.codec.BufferedMessage;
import io.mayflymq.protocol.codec.ContentFrameOrder;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Assembles a message from its frames, or takes a whole one. The array grows with the bytes
 * received, so a client cannot make the broker allocate a size that it only claims.
 */
final class ContentAssembler {
  /** Headers alone take no more on each of 2,047 channels than a small heap has. */
  private static final int LARGEST_FIRST_ALLOCATION = 16 << 10;

  /** Four times what has arrived: a body of 16 MB is copied for a third once more, not for all. */
  private static final int GROWTH = 4;

  private final ContentFrameOrder frames = new ContentFrameOrder();
  private final int maxMessageSize;
  private final LongConsumer held;
  private ShortString exchange;
  private boolean renewsLock;
  private ShortString routingKey;
  private boolean mandatory;
  private boolean immediate;
  private byte[] content;
  private int propertiesLength;
  private int filled;
  private int total;

  /**
   * @param held is told how many bytes more are held for an incomplete message, or fewer
   */
  ContentAssembler(int maxMessageSize, LongConsumer held) {
    this.maxMessageSize = maxMessageSize;
    this.held = held;
  }

  /** Returns the order of the frames, which holds when the channel is closed, too. */
  ContentFrameOrder frames() {
    return frames;
  }

  void publish(
      ShortString toExchange, ShortString withKey, boolean isMandatory, boolean isImmediate) {
    frames.publish();
    goesTo(toExchange);
    routingKey = withKey;
    mandatory = isMandatory;
    immediate = isImmediate;
  }

  /**
   * Takes a message that is complete in a buffer.
   *
   * @throws ChannelException 406 if it is too large
   */
  void take(BufferedMessage message) {
    frames.method();
    requireSize(message.bodyLength());
    goesTo(message.exchange());
    routingKey = message.routingKey();
    mandatory = message.isMandatory();
    immediate = message.isImmediate();
    propertiesLength = message.propertiesLength();
    content = message.copyContent();
  }

  /**
   * Takes a message that is complete.
   *
   * @param whole the properties, and then the body; must not be changed afterwards
   * @throws ChannelException 406 if it is too large
   */
  void take(
      ShortString toExchange,
      ShortString withKey,
      boolean isMandatory,
      byte[] whole,
      int lengthOfProperties) {
    requireSize(whole.length - lengthOfProperties);
    goesTo(toExchange);
    routingKey = withKey;
    mandatory = isMandatory;
    immediate = false;
    propertiesLength = lengthOfProperties;
    content = whole;
  }

  /** Whether it is the exchange for locks is found out when it changes, as it seldom does. */
  @SuppressWarnings("ReferenceEquality") // one object as long as a client publishes to it
  private void goesTo(ShortString toExchange) {
    if (toExchange != exchange) {
      exchange = toExchange;
      renewsLock = LockRenewal.EXCHANGE.equals(toExchange);
    }
  }

  /** Takes the header. @return whether the message is complete, as its body is empty */
  boolean header(int classId, long bodySize, ByteBuf in, int index, int length) {
    frames.header(classId, bodySize);
    requireSize(bodySize);
    propertiesLength = length;
    total = Math.toIntExact(length + bodySize);
    content = new byte[Math.min(total, length + LARGEST_FIRST_ALLOCATION)];
    in.getBytes(index, content, 0, length);
    filled = length;
    held.accept(content.length);
    return finishIfWhole();
  }

  /**
   * Checks the size that a header claims.
   *
   * @throws ChannelException 406 if it is too large; the body will still arrive
   */
  void requireSize(long bodySize) {
    if (bodySize > maxMessageSize) {
      throw new ChannelException(
              ReplyCode.PRECONDITION_FAILED,
              "message size %d is larger than configured max size %d"
                  .formatted(bodySize, maxMessageSize))
          .withMethod(BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID);
    }
  }

  /** Takes a piece of the body. @return whether the message is complete */
  boolean body(ByteBuf in, int index, int length) {
    frames.body(length);
    if (filled + length > content.length) {
      int room = (int) Math.min(total, Math.max(filled + length, content.length * (long) GROWTH));
      held.accept(room - content.length);
      content = Arrays.copyOf(content, room);
    }
    in.getBytes(index, content, filled, length);
    filled += length;
    return finishIfWhole();
  }

  private boolean finishIfWhole() {
    if (frames.isComplete()) {
      held.accept(-content.length);
      return true;
    }
    return false;
  }

  ShortString exchange() {
    return exchange;
  }

  /** Returns whether what is being received is no message, but renews the lock of a delivery. */
  boolean renewsLock() {
    return renewsLock;
  }

  ShortString routingKey() {
    return routingKey;
  }

  boolean mandatory() {
    return mandatory;
  }

  boolean immediate() {
    return immediate;
  }

  int propertiesLength() {
    return propertiesLength;
  }

  /** Returns the whole content and forgets it. */
  byte[] takeContent() {
    byte[] whole = content;
    content = null;
    return whole;
  }

  /** Returns how many bytes are held for a message that is not complete. */
  long held() {
    return content == null ? 0 : content.length;
  }

  /** Forgets a message that is not complete; what follows of it is ignored by a closed channel. */
  void discard() {
    held.accept(-held());
    content = null;
  }
}
