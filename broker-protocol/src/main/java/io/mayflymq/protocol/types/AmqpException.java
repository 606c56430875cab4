package io.mayflymq.protocol.types;

import java.util.Objects;

/**
 * A failure that the peer is told of with a Close method: of its channel ({@link ChannelException})
 * or of the whole connection ({@link ConnectionException}).
 *
 * <p>The scope is that of the type, not of the code: RabbitMQ closes a connection with a "soft"
 * code now and then (403 at login) and so must we be able to. No stack trace is captured, because a
 * client can cause these at will.
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

  /** What went wrong, without the name of the code in front. */
  public String detail() {
    return detail;
  }

  /**
   * The text of the Close method in RabbitMQ's form, {@code NOT_FOUND - no queue 'q' in vhost '/'}.
   * Of any length: the encoder of Close cuts it to the 255 bytes of a short string.
   */
  public String replyText() {
    return getMessage();
  }

  /** The class of the method that failed, or 0 if that is not known. */
  public int classId() {
    return classId;
  }

  /** The method that failed, or 0 if that is not known. */
  public int methodId() {
    return methodId;
  }

  /** The same failure, attributed to a method. */
  public abstract AmqpException withMethod(int classId, int methodId);
}
