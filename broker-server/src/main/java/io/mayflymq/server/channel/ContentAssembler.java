package io.mayflymq.server.channel;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Assembles a message from its frames: publish, header, then bodies until the size is reached. The
 * array grows with the bytes received, so a client cannot make the broker allocate a size that it
 * only claims.
 */
final class ContentAssembler {
  /** Headers alone take no more on each of 2,047 channels than a small heap has. */
  private static final int LARGEST_FIRST_ALLOCATION = 16 << 10;

  private enum Expects {
    METHOD,
    HEADER,
    BODY
  }

  private final int maxMessageSize;
  private final LongConsumer held;
  private Expects expects = Expects.METHOD;
  private ShortString exchange;
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

  /** Checks that no content is expected, as a method was received. */
  void requireNoContentExpected() {
    if (expects != Expects.METHOD) {
      throw unexpected(
          expects == Expects.HEADER
              ? "expected content header for class 60, got non content header frame instead"
              : "expected content body, got non content body frame instead");
    }
  }

  void publish(
      ShortString toExchange, ShortString withKey, boolean isMandatory, boolean isImmediate) {
    requireNoContentExpected();
    exchange = toExchange;
    routingKey = withKey;
    mandatory = isMandatory;
    immediate = isImmediate;
    expects = Expects.HEADER;
  }

  /** Takes the header. @return whether the message is complete, as its body is empty */
  boolean header(int classId, long bodySize, ByteBuf in, int index, int length) {
    if (expects != Expects.HEADER) {
      throw unexpected(
          expects == Expects.METHOD
              ? "expected method frame, got non method frame instead"
              : "expected content body, got non content body frame instead");
    }
    if (classId != BasicMethod.CLASS_ID) {
      throw unexpected(
          "expected content header for class 60, got one for class %d instead".formatted(classId));
    }
    requireSize(bodySize);
    propertiesLength = length;
    total = Math.toIntExact(length + bodySize);
    content = new byte[Math.min(total, length + LARGEST_FIRST_ALLOCATION)];
    in.getBytes(index, content, 0, length);
    filled = length;
    expects = Expects.BODY;
    held.accept(content.length);
    return finishIfWhole();
  }

  /** Checks the size that a header claims. */
  void requireSize(long bodySize) {
    if (bodySize > maxMessageSize) {
      // The rest of the content will still arrive; the closing channel ignores it.
      expects = Expects.METHOD;
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "message size %d is larger than configured max size %d"
              .formatted(bodySize, maxMessageSize));
    }
  }

  /** Takes a piece of the body. @return whether the message is complete */
  boolean body(ByteBuf in, int index, int length) {
    if (expects != Expects.BODY) {
      throw unexpected(
          expects == Expects.METHOD
              ? "expected method frame, got non method frame instead"
              : "expected content header for class 60, got non content header frame instead");
    }
    if (length > total - filled) {
      throw new ConnectionException(
          ReplyCode.FRAME_ERROR,
          "content body of %d bytes is longer than its header said, %d"
              .formatted((long) filled - propertiesLength + length, total - propertiesLength));
    }
    if (filled + length > content.length) {
      int room = (int) Math.min(total, Math.max(filled + length, content.length * 2L));
      held.accept(room - content.length);
      content = Arrays.copyOf(content, room);
    }
    in.getBytes(index, content, filled, length);
    filled += length;
    return finishIfWhole();
  }

  private boolean finishIfWhole() {
    if (filled == total) {
      expects = Expects.METHOD;
      held.accept(-content.length);
      return true;
    }
    return false;
  }

  ShortString exchange() {
    return exchange;
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
    return expects == Expects.BODY ? content.length : 0;
  }

  /** Forgets a message that is not complete; what follows of it is ignored by a closed channel. */
  void discard() {
    held.accept(-held());
    content = null;
    expects = Expects.METHOD;
  }

  private ConnectionException unexpected(String detail) {
    ConnectionException error = new ConnectionException(ReplyCode.UNEXPECTED_FRAME, detail);
    return expects == Expects.METHOD
        ? error
        : error.withMethod(BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID);
  }
}
