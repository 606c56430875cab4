package io.mayflymq.protocol.types;

/** An error that closes the whole connection. */
public non-sealed class ConnectionException extends AmqpException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an error whose method is not yet known.
   *
   * @param detail the description of the error; in the reply text the name of the code precedes it
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
