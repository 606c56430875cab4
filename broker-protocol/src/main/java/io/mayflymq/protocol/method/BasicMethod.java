package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.FieldTable;
import io.netty.buffer.ByteBuf;

/**
 * The methods of class basic (AMQP 0-9-1, class 60), with RabbitMQ's nack.
 *
 * <p>Text of methods that carry content need not be UTF-8, as in RabbitMQ (see class Utf8).
 */
public sealed interface BasicMethod extends Method {
  int CLASS_ID = 60;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  @Override
  default boolean hasContent() {
    return this instanceof Publish
        || this instanceof Deliver
        || this instanceof GetOk
        || this instanceof Return;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static BasicMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Qos.METHOD_ID -> Qos.read(in);
      case QosOk.METHOD_ID -> QosOk.INSTANCE;
      case Consume.METHOD_ID -> Consume.read(in);
      case ConsumeOk.METHOD_ID -> ConsumeOk.read(in);
      case Cancel.METHOD_ID -> Cancel.read(in);
      case CancelOk.METHOD_ID -> CancelOk.read(in);
      case Publish.METHOD_ID -> Publish.read(in);
      case Return.METHOD_ID -> Return.read(in);
      case Deliver.METHOD_ID -> Deliver.read(in);
      case Get.METHOD_ID -> Get.read(in);
      case GetOk.METHOD_ID -> GetOk.read(in);
      case GetEmpty.METHOD_ID -> GetEmpty.read(in);
      case Ack.METHOD_ID -> Ack.read(in);
      case Reject.METHOD_ID -> Reject.read(in);
      case RecoverAsync.METHOD_ID -> RecoverAsync.read(in);
      case Recover.METHOD_ID -> Recover.read(in);
      case RecoverOk.METHOD_ID -> RecoverOk.INSTANCE;
      case Nack.METHOD_ID -> Nack.read(in);
      default -> null;
    };
  }

  /**
   * Limits how much may be delivered and not yet acknowledged.
   *
   * @param prefetchSize bytes; RabbitMQ takes only 0
   * @param prefetchCount messages, 0 for no limit
   * @param global in RabbitMQ: for the whole channel, not for each new consumer
   */
  record Qos(long prefetchSize, int prefetchCount, boolean global) implements BasicMethod {
    public static final int METHOD_ID = 10;

    static Qos read(MethodReader in) {
      long prefetchSize = in.uint32();
      int prefetchCount = in.uint16();
      boolean global = (in.uint8() & 1) != 0;
      return new Qos(prefetchSize, prefetchCount, global);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint32(out, prefetchSize);
      MethodWriter.uint16(out, prefetchCount);
      MethodWriter.bits(out, global);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The limits hold. */
  record QosOk() implements BasicMethod {
    public static final int METHOD_ID = 11;
    public static final QosOk INSTANCE = new QosOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * Starts a consumer.
   *
   * @param consumerTag its name in the channel; empty for one that the server makes up
   */
  record Consume(
      String queue,
      String consumerTag,
      boolean noLocal,
      boolean noAck,
      boolean exclusive,
      boolean noWait,
      FieldTable arguments)
      implements BasicMethod {
    public static final int METHOD_ID = 20;

    static Consume read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      String consumerTag = in.shortString();
      int bits = in.uint8();
      FieldTable arguments = in.table();
      return new Consume(
          queue,
          consumerTag,
          (bits & 1) != 0,
          (bits & 2) != 0,
          (bits & 4) != 0,
          (bits & 8) != 0,
          arguments);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, queue);
      MethodWriter.shortString(out, consumerTag);
      MethodWriter.bits(out, noLocal, noAck, exclusive, noWait);
      MethodWriter.table(out, arguments);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The consumer runs. */
  record ConsumeOk(String consumerTag) implements BasicMethod {
    public static final int METHOD_ID = 21;

    static ConsumeOk read(MethodReader in) {
      String consumerTag = in.shortString();
      return new ConsumeOk(consumerTag);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, consumerTag);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Ends a consumer; RabbitMQ sends it to clients, too. */
  record Cancel(String consumerTag, boolean noWait) implements BasicMethod {
    public static final int METHOD_ID = 30;

    static Cancel read(MethodReader in) {
      String consumerTag = in.shortString();
      boolean noWait = (in.uint8() & 1) != 0;
      return new Cancel(consumerTag, noWait);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, consumerTag);
      MethodWriter.bits(out, noWait);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The consumer is gone. */
  record CancelOk(String consumerTag) implements BasicMethod {
    public static final int METHOD_ID = 31;

    static CancelOk read(MethodReader in) {
      String consumerTag = in.shortString();
      return new CancelOk(consumerTag);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, consumerTag);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** A message to an exchange. */
  record Publish(String exchange, String routingKey, boolean mandatory, boolean immediate)
      implements BasicMethod {
    public static final int METHOD_ID = 40;

    static Publish read(MethodReader in) {
      in.uint16();
      String exchange = in.uncheckedShortString();
      String routingKey = in.uncheckedShortString();
      int bits = in.uint8();
      return new Publish(exchange, routingKey, (bits & 1) != 0, (bits & 2) != 0);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, exchange);
      MethodWriter.shortString(out, routingKey);
      MethodWriter.bits(out, mandatory, immediate);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * A message that could not be routed comes back.
   *
   * @param replyText cut to 255 bytes when encoded
   */
  record Return(int replyCode, String replyText, String exchange, String routingKey)
      implements BasicMethod {
    public static final int METHOD_ID = 50;

    static Return read(MethodReader in) {
      int replyCode = in.uint16();
      String replyText = in.uncheckedShortString();
      String exchange = in.uncheckedShortString();
      String routingKey = in.uncheckedShortString();
      return new Return(replyCode, replyText, exchange, routingKey);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, replyCode);
      MethodWriter.cutShortString(out, replyText);
      MethodWriter.shortString(out, exchange);
      MethodWriter.shortString(out, routingKey);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * A message to a consumer.
   *
   * @param deliveryTag counts deliveries on the channel from 1 on, all 64 bits
   */
  record Deliver(
      String consumerTag, long deliveryTag, boolean redelivered, String exchange, String routingKey)
      implements BasicMethod {
    public static final int METHOD_ID = 60;

    static Deliver read(MethodReader in) {
      String consumerTag = in.uncheckedShortString();
      long deliveryTag = in.int64();
      boolean redelivered = (in.uint8() & 1) != 0;
      String exchange = in.uncheckedShortString();
      String routingKey = in.uncheckedShortString();
      return new Deliver(consumerTag, deliveryTag, redelivered, exchange, routingKey);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, consumerTag);
      MethodWriter.int64(out, deliveryTag);
      MethodWriter.bits(out, redelivered);
      MethodWriter.shortString(out, exchange);
      MethodWriter.shortString(out, routingKey);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Asks for one message. */
  record Get(String queue, boolean noAck) implements BasicMethod {
    public static final int METHOD_ID = 70;

    static Get read(MethodReader in) {
      in.uint16();
      String queue = in.shortString();
      boolean noAck = (in.uint8() & 1) != 0;
      return new Get(queue, noAck);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, 0);
      MethodWriter.shortString(out, queue);
      MethodWriter.bits(out, noAck);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * Here it is.
   *
   * @param deliveryTag counts deliveries on the channel from 1 on, all 64 bits
   * @param messageCount those still ready; written as at most 2<sup>32</sup>-1
   */
  record GetOk(
      long deliveryTag, boolean redelivered, String exchange, String routingKey, long messageCount)
      implements BasicMethod {
    public static final int METHOD_ID = 71;

    static GetOk read(MethodReader in) {
      long deliveryTag = in.int64();
      boolean redelivered = (in.uint8() & 1) != 0;
      String exchange = in.uncheckedShortString();
      String routingKey = in.uncheckedShortString();
      long messageCount = in.uint32();
      return new GetOk(deliveryTag, redelivered, exchange, routingKey, messageCount);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.int64(out, deliveryTag);
      MethodWriter.bits(out, redelivered);
      MethodWriter.shortString(out, exchange);
      MethodWriter.shortString(out, routingKey);
      MethodWriter.uint32(out, messageCount);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** There is none. */
  record GetEmpty() implements BasicMethod {
    public static final int METHOD_ID = 72;

    static GetEmpty read(MethodReader in) {
      in.shortString();
      return new GetEmpty();
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, "");
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * Settles a delivery; from the server, confirms a publish.
   *
   * @param deliveryTag with {@code multiple} also all before it, and 0 stands for all so far
   */
  record Ack(long deliveryTag, boolean multiple) implements BasicMethod {
    public static final int METHOD_ID = 80;

    static Ack read(MethodReader in) {
      long deliveryTag = in.int64();
      boolean multiple = (in.uint8() & 1) != 0;
      return new Ack(deliveryTag, multiple);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.int64(out, deliveryTag);
      MethodWriter.bits(out, multiple);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Refuses a delivery. */
  record Reject(long deliveryTag, boolean requeue) implements BasicMethod {
    public static final int METHOD_ID = 90;

    static Reject read(MethodReader in) {
      long deliveryTag = in.int64();
      boolean requeue = (in.uint8() & 1) != 0;
      return new Reject(deliveryTag, requeue);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.int64(out, deliveryTag);
      MethodWriter.bits(out, requeue);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Asks for all unacknowledged messages again, without an answer. */
  record RecoverAsync(boolean requeue) implements BasicMethod {
    public static final int METHOD_ID = 100;

    static RecoverAsync read(MethodReader in) {
      boolean requeue = (in.uint8() & 1) != 0;
      return new RecoverAsync(requeue);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.bits(out, requeue);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Asks for all unacknowledged messages again. */
  record Recover(boolean requeue) implements BasicMethod {
    public static final int METHOD_ID = 110;

    static Recover read(MethodReader in) {
      boolean requeue = (in.uint8() & 1) != 0;
      return new Recover(requeue);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.bits(out, requeue);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Recover}. */
  record RecoverOk() implements BasicMethod {
    public static final int METHOD_ID = 111;
    public static final RecoverOk INSTANCE = new RecoverOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * Refuses deliveries; from the server, a publish (RabbitMQ extension).
   *
   * @param deliveryTag with {@code multiple} also all before it, and 0 stands for all so far
   */
  record Nack(long deliveryTag, boolean multiple, boolean requeue) implements BasicMethod {
    public static final int METHOD_ID = 120;

    static Nack read(MethodReader in) {
      long deliveryTag = in.int64();
      int bits = in.uint8();
      return new Nack(deliveryTag, (bits & 1) != 0, (bits & 2) != 0);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.int64(out, deliveryTag);
      MethodWriter.bits(out, multiple, requeue);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
