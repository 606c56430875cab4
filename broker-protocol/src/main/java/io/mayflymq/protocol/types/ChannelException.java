package io.mayflymq.protocol.types;

/** An error that closes one channel and leaves the connection open. */
public final class ChannelException extends AmqpException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an error whose method is not yet known.
   *
   * @param detail the description of the error; in the reply text the name of the code precedes it
   */
  public ChannelException(ReplyCode code, String detail) {
    this(code, detail, 0, 0);
  }

  public ChannelException(ReplyCode code, String detail, int classId, int methodId) {
    super(code, detail, classId, methodId);
  }

  @Override
  public ChannelException withMethod(int classId, int methodId) {
    return new ChannelException(code(), detail(), classId, methodId);
  }
}
