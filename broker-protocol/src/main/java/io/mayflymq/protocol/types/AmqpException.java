package io.mayflymq.protocol.types;

import java.util.Objects;

/**
 * An error that is sent to the peer in a Close method: of its channel ({@link ChannelException}) or
 * of the whole connection ({@link ConnectionException}).
 *
 * <p>The type decides the scope, not the code: RabbitMQ sometimes closes a connection with a "soft"
 * code (403 at login), so this broker must be able to. No stack trace is captured, because a client
 * can cause these at will.
 */
public abstract sealed class AmqpException extends RuntimeException
    permits ChannelException, ConnectionException {
  private static final long serialVersionUID = 1L;

  private final ReplyCode code;
  private final String detail;
  private final int classId;
  private final int methodId;

  AmqpException(ReplyCode code, String detail, int classId, int methodId) {
    super(Objects.requireNonNull(code, "code") + " - " + detail, null, false, false);
    this.code = code;
    this.detail = Objects.requireNonNull(detail, "detail");
    this.classId = classId;
    this.methodId = methodId;
  }

  public ReplyCode code() {
    return code;
  }

  /** Returns the description of the error, without the name of the code in front. */
  public String detail() {
    return detail;
  }

  /**
   * Returns the text of the Close method in RabbitMQ's form, {@code NOT_FOUND - no queue 'q' in
   * vhost '/'}. It may have any length: the encoder of Close cuts it to the 255 bytes of a short
   * string.
   */
  public String replyText() {
    return getMessage();
  }

  /** Returns the class id of the method that failed, or 0 if it is unknown. */
  public int classId() {
    return classId;
  }

  /** Returns the method id of the method that failed, or 0 if it is unknown. */
  public int methodId() {
    return methodId;
  }

  /** Returns a copy of this error that names the method that failed. */
  public abstract AmqpException withMethod(int classId, int methodId);
}
