package io.mayflymq.protocol.method;

import io.netty.buffer.ByteBuf;

/** The methods of class confirm (class 85, a RabbitMQ extension). */
public sealed interface ConfirmMethod extends Method {
  int CLASS_ID = 85;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static ConfirmMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Select.METHOD_ID -> Select.read(in);
      case SelectOk.METHOD_ID -> SelectOk.INSTANCE;
      default -> null;
    };
  }

  /** Asks the server to confirm every publish on the channel from now on. */
  record Select(boolean noWait) implements ConfirmMethod {
    public static final int METHOD_ID = 10;

    static Select read(MethodReader in) {
      boolean noWait = (in.uint8() & 1) != 0;
      return new Select(noWait);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.bits(out, noWait);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Select}. */
  record SelectOk() implements ConfirmMethod {
    public static final int METHOD_ID = 11;
    public static final SelectOk INSTANCE = new SelectOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
