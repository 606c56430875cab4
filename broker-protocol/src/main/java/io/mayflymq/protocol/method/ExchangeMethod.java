package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.FieldTable;
import io.netty.buffer.ByteBuf;

/**
 * The methods of class exchange (AMQP 0-9-1, class 40), with RabbitMQ's bindings between exchanges
 * and its flags auto-delete and internal.
 */
public sealed interface ExchangeMethod extends Method {
  int CLASS_ID = 40;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static ExchangeMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Declare.METHOD_ID -> Declare.read(in);
      case DeclareOk.METHOD_ID -> DeclareOk.INSTANCE;
      case Delete.METHOD_ID -> Delete.read(in);
      case DeleteOk.METHOD_ID -> DeleteOk.INSTANCE;
      case Bind.METHOD_ID -> Bind.read(in);
      case BindOk.METHOD_ID -> BindOk.INSTANCE;
      case Unbind.METHOD_ID -> Unbind.read(in);
      case UnbindOk.METHOD_ID -> UnbindOk.INSTANCE;
      default -> null;
    };
  }

  /** Creates an exchange, or with {@code passive} checks that it exists. */
  record Declare(
      String exchange,
      String type,
      boolean passive,
      boolean durable,
      boolean autoDelete,
      boolean internal,
      boolean noWait,
      FieldTable arguments)
      implements ExchangeMethod {
    public static final int METHOD_ID = 10;

    static Declare read(MethodReader in) {
      in.uint16();
      String exchange = in.shortString();
      String type = in.shortString();
      int bits = in.uint8();
      FieldTable arguments = in.table();
      return new Declare(
          exchange,
          type,
          (bits & 1) != 0,
          (bits & 2) != 0,
          (bits & 4) != 0,
          (bits & 8) != 0,
          (bits & 16) != 0,
          arguments);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, exchange);
      MethodWriter.shortString(out, type);
      MethodWriter.bits(out, passive, durable, autoDelete, internal, noWait);
      MethodWriter.table(out, arguments);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Declare}. */
  record DeclareOk() implements ExchangeMethod {
    public static final int METHOD_ID = 11;
    public static final DeclareOk INSTANCE = new DeclareOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Deletes an exchange. */
  record Delete(String exchange, boolean ifUnused, boolean noWait) implements ExchangeMethod {
    public static final int METHOD_ID = 20;

    static Delete read(MethodReader in) {
      in.uint16();
      String exchange = in.shortString();
      int bits = in.uint8();
      return new Delete(exchange, (bits & 1) != 0, (bits & 2) != 0);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, exchange);
      MethodWriter.bits(out, ifUnused, noWait);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Delete}. */
  record DeleteOk() implements ExchangeMethod {
    public static final int METHOD_ID = 21;
    public static final DeleteOk INSTANCE = new DeleteOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Binds an exchange to another one (RabbitMQ extension). */
  record Bind(
      String destination, String source, String routingKey, boolean noWait, FieldTable arguments)
      implements ExchangeMethod {
    public static final int METHOD_ID = 30;

    static Bind read(MethodReader in) {
      in.uint16();
      String destination = in.shortString();
      String source = in.shortString();
      String routingKey = in.shortString();
      boolean noWait = (in.uint8() & 1) != 0;
      FieldTable arguments = in.table();
      return new Bind(destination, source, routingKey, noWait, arguments);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, destination);
      MethodWriter.shortString(out, source);
      MethodWriter.shortString(out, routingKey);
      MethodWriter.bits(out, noWait);
      MethodWriter.table(out, arguments);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Bind}. */
  record BindOk() implements ExchangeMethod {
    public static final int METHOD_ID = 31;
    public static final BindOk INSTANCE = new BindOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Removes a binding between exchanges (RabbitMQ extension). */
  record Unbind(
      String destination, String source, String routingKey, boolean noWait, FieldTable arguments)
      implements ExchangeMethod {
    public static final int METHOD_ID = 40;

    static Unbind read(MethodReader in) {
      in.uint16();
      String destination = in.shortString();
      String source = in.shortString();
      String routingKey = in.shortString();
      boolean noWait = (in.uint8() & 1) != 0;
      FieldTable arguments = in.table();
      return new Unbind(destination, source, routingKey, noWait, arguments);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, destination);
      MethodWriter.shortString(out, source);
      MethodWriter.shortString(out, routingKey);
      MethodWriter.bits(out, noWait);
      MethodWriter.table(out, arguments);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The answer to {@link Unbind}. (Its number is 51, not 41: an error in RabbitMQ's numbering that
   * was kept.)
   */
  record UnbindOk() implements ExchangeMethod {
    public static final int METHOD_ID = 51;
    public static final UnbindOk INSTANCE = new UnbindOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
