package io.mayflymq.protocol.types;

/** A failure that closes the whole connection. */
public final class ConnectionException extends AmqpException {
  private static final long serialVersionUID = 1L;

  /**
   * A failure whose method is not known here.
   *
   * @param detail what went wrong; the name of the code is put in front of it in the reply text
   */
  public ConnectionException(ReplyCode code, String detail) {
    this(code, detail, 0, 0);
  }

  public ConnectionException(ReplyCode code, String detail, int classId, int methodId) {
    super(code, detail, classId, methodId);
  }

  @Override
  public ConnectionException withMethod(int classId, int methodId) {
    return new ConnectionException(code(), detail(), classId, methodId);
  }
}
