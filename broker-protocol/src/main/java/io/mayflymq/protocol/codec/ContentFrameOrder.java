package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * The order in which the frames of a message come: publish, header, then bodies until the size is
 * reached. It also holds on a channel that the broker has closed, whose messages are ignored. Not
 * thread-safe.
 */
public final class ContentFrameOrder {
  private enum Expects {
    METHOD,
    HEADER,
    BODY
  }

  private Expects expects = Expects.METHOD;

  /** Whether the rest of the message need not come. */
  private boolean mayStop;

  private long size;
  private long missing;

  /**
   * Checks that a method may come.
   *
   * @throws ConnectionException 505 if content is expected
   */
  public void method() {
    if (mayStop) {
      mayStop = false;
      expects = Expects.METHOD;
    }
    if (expects != Expects.METHOD) {
      throw unexpected(
          expects == Expects.HEADER
              ? "expected content header for class 60, got non content header frame instead"
              : "expected content body, got non content body frame instead");
    }
  }

  /**
   * Notes a {@code basic.publish}.
   *
   * @throws ConnectionException 505 if content is expected
   */
  public void publish() {
    method();
    expects = Expects.HEADER;
  }

  /**
   * Notes a content header.
   *
   * @param bodySize bytes that are to follow, 0 or more
   * @throws ConnectionException 505 if none is expected, or one of another class
   */
  public void header(int classId, long bodySize) {
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
    size = bodySize;
    missing = bodySize;
    expects = missing == 0 ? Expects.METHOD : Expects.BODY;
  }

  /**
   * Notes a piece of a body.
   *
   * @throws ConnectionException 505 if none is expected; 501 if it is longer than what is missing
   */
  public void body(int length) {
    if (expects != Expects.BODY) {
      throw unexpected(
          expects == Expects.METHOD
              ? "expected method frame, got non method frame instead"
              : "expected content header for class 60, got non content header frame instead");
    }
    if (length > missing) {
      throw new ConnectionException(
          ReplyCode.FRAME_ERROR,
          "content body of %d bytes is longer than its header said, %d"
              .formatted(size - missing + length, size));
    }
    missing -= length;
    if (missing == 0) {
      expects = Expects.METHOD;
    }
  }

  /**
   * Notes that the channel is closed: a client that is told so in the middle of a message may send
   * the rest of it or not.
   */
  public void mayStop() {
    mayStop = expects != Expects.METHOD;
  }

  /** Returns whether the message whose header or body came last is complete. */
  public boolean isComplete() {
    return expects == Expects.METHOD;
  }

  /** The error names the message that is not complete, if there is one. */
  private ConnectionException unexpected(String detail) {
    ConnectionException error = new ConnectionException(ReplyCode.UNEXPECTED_FRAME, detail);
    return expects == Expects.METHOD
        ? error
        : error.withMethod(BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID);
  }
}
