package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.FieldTable;
import io.netty.buffer.ByteBuf;

/** The methods of class queue (AMQP 0-9-1, class 50). */
public sealed interface QueueMethod extends Method {
  int CLASS_ID = 50;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static QueueMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Declare.METHOD_ID -> Declare.read(in);
      case DeclareOk.METHOD_ID -> DeclareOk.read(in);
      case Bind.METHOD_ID -> Bind.read(in);
      case BindOk.METHOD_ID -> BindOk.INSTANCE;
      case Purge.METHOD_ID -> Purge.read(in);
      case PurgeOk.METHOD_ID -> PurgeOk.read(in);
      case Delete.METHOD_ID -> Delete.read(in);
      case DeleteOk.METHOD_ID -> DeleteOk.read(in);
      case Unbind.METHOD_ID -> Unbind.read(in);
      case UnbindOk.METHOD_ID -> UnbindOk.INSTANCE;
      default -> null;
    };
  }

  /**
   * Creates a queue, or with {@code passive} checks that it exists.
   *
   * @param queue the name; empty for one that the server makes up
   */
  record Declare(
      String queue,
      boolean passive,
      boolean durable,
      boolean exclusive,
      boolean autoDelete,
      boolean noWait,
      FieldTable arguments)
      implements QueueMethod {
    public static final int METHOD_ID = 10;

    static Declare read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      int bits = in.uint8();
      FieldTable arguments = in.table();
      return new Declare(
          queue,
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
      MethodWriter.shortString(out, queue);
      MethodWriter.bits(out, passive, durable, exclusive, autoDelete, noWait);
      MethodWriter.table(out, arguments);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The queue exists.
   *
   * @param messageCount ready messages; written as at most 2<sup>32</sup>-1
   * @param consumerCount consumers; written as at most 2<sup>32</sup>-1
   */
  record DeclareOk(String queue, long messageCount, long consumerCount) implements QueueMethod {
    public static final int METHOD_ID = 11;

    static DeclareOk read(MethodReader in) {
      String queue = in.shortString();
      long messageCount = in.uint32();
      long consumerCount = in.uint32();
      return new DeclareOk(queue, messageCount, consumerCount);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, queue);
      MethodWriter.uint32(out, messageCount);
      MethodWriter.uint32(out, consumerCount);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Binds a queue to an exchange. */
  record Bind(
      String queue, String exchange, String routingKey, boolean noWait, FieldTable arguments)
      implements QueueMethod {
    public static final int METHOD_ID = 20;

    static Bind read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      String exchange = in.shortString();
      String routingKey = in.shortString();
      boolean noWait = (in.uint8() & 1) != 0;
      FieldTable arguments = in.table();
      return new Bind(queue, exchange, routingKey, noWait, arguments);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, queue);
      MethodWriter.shortString(out, exchange);
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
  record BindOk() implements QueueMethod {
    public static final int METHOD_ID = 21;
    public static final BindOk INSTANCE = new BindOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Removes all ready messages of a queue. */
  record Purge(String queue, boolean noWait) implements QueueMethod {
    public static final int METHOD_ID = 30;

    static Purge read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      boolean noWait = (in.uint8() & 1) != 0;
      return new Purge(queue, noWait);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, queue);
      MethodWriter.bits(out, noWait);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The messages are gone.
   *
   * @param messageCount how many they were; written as at most 2<sup>32</sup>-1
   */
  record PurgeOk(long messageCount) implements QueueMethod {
    public static final int METHOD_ID = 31;

    static PurgeOk read(MethodReader in) {
      long messageCount = in.uint32();
      return new PurgeOk(messageCount);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint32(out, messageCount);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Deletes a queue. */
  record Delete(String queue, boolean ifUnused, boolean ifEmpty, boolean noWait)
      implements QueueMethod {
    public static final int METHOD_ID = 40;

    static Delete read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      int bits = in.uint8();
      return new Delete(queue, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, queue);
      MethodWriter.bits(out, ifUnused, ifEmpty, noWait);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The queue is gone.
   *
   * @param messageCount the messages it held; written as at most 2<sup>32</sup>-1
   */
  record DeleteOk(long messageCount) implements QueueMethod {
    public static final int METHOD_ID = 41;

    static DeleteOk read(MethodReader in) {
      long messageCount = in.uint32();
      return new DeleteOk(messageCount);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint32(out, messageCount);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Removes a binding of a queue. */
  record Unbind(String queue, String exchange, String routingKey, FieldTable arguments)
      implements QueueMethod {
    public static final int METHOD_ID = 50;

    static Unbind read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      String exchange = in.shortString();
      String routingKey = in.shortString();
      FieldTable arguments = in.table();
      return new Unbind(queue, exchange, routingKey, arguments);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, queue);
      MethodWriter.shortString(out, exchange);
      MethodWriter.shortString(out, routingKey);
      MethodWriter.table(out, arguments);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Unbind}. */
  record UnbindOk() implements QueueMethod {
    public static final int METHOD_ID = 51;
    public static final UnbindOk INSTANCE = new UnbindOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
