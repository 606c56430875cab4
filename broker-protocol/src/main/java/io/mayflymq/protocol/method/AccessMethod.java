package io.mayflymq.protocol.method;

import io.netty.buffer.ByteBuf;

/**
 * The methods of class access (class 30). AMQP 0-9-1 has dropped it, but RabbitMQ still answers it
 * and old clients still send it; its tickets mean nothing.
 */
public sealed interface AccessMethod extends Method {
  int CLASS_ID = 30;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static AccessMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Request.METHOD_ID -> Request.read(in);
      case RequestOk.METHOD_ID -> RequestOk.read(in);
      default -> null;
    };
  }

  /** The client asks for a ticket. */
  record Request(
      String realm, boolean exclusive, boolean passive, boolean active, boolean write, boolean read)
      implements AccessMethod {
    public static final int METHOD_ID = 10;

    static Request read(MethodReader in) {
      String realm = in.shortString();
      int bits = in.uint8();
      return new Request(
          realm,
          (bits & 1) != 0,
          (bits & 2) != 0,
          (bits & 4) != 0,
          (bits & 8) != 0,
          (bits & 16) != 0);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, realm);
      MethodWriter.bits(out, exclusive, passive, active, write, read);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The server grants one. */
  record RequestOk(int ticket) implements AccessMethod {
    public static final int METHOD_ID = 11;

    static RequestOk read(MethodReader in) {
      int ticket = in.uint16();
      return new RequestOk(ticket);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, ticket);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
