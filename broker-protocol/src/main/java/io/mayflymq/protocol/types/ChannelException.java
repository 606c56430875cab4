package io.mayflymq.protocol.types;

/** A failure that closes one channel and leaves the connection open. */
public final class ChannelException extends AmqpException {
  private static final long serialVersionUID = 1L;

  /**
   * A failure whose method is not known here.
   *
   * @param detail what went wrong; the name of the code is put in front of it in the reply text
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
