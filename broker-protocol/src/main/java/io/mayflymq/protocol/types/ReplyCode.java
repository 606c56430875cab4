package io.mayflymq.protocol.types;

/**
 * The reply codes of AMQP 0-9-1 (specification, section 1.2), with the names with which RabbitMQ
 * starts a reply text.
 */
public enum ReplyCode {
  REPLY_SUCCESS(200),
  CONTENT_TOO_LARGE(311),
  NO_ROUTE(312),
  NO_CONSUMERS(313),
  CONNECTION_FORCED(320),
  INVALID_PATH(402),
  ACCESS_REFUSED(403),
  NOT_FOUND(404),
  RESOURCE_LOCKED(405),
  PRECONDITION_FAILED(406),
  FRAME_ERROR(501),
  SYNTAX_ERROR(502),
  COMMAND_INVALID(503),
  CHANNEL_ERROR(504),
  UNEXPECTED_FRAME(505),
  RESOURCE_ERROR(506),
  NOT_ALLOWED(530),
  NOT_IMPLEMENTED(540),
  INTERNAL_ERROR(541);

  private final int code;

  ReplyCode(int code) {
    this.code = code;
  }

  /** Returns the number on the wire, 200 to 541. */
  public int code() {
    return code;
  }
}
