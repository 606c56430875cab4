package io.mayflymq.protocol.method;

import io.netty.buffer.ByteBuf;

/** The methods of class channel (AMQP 0-9-1, class 20). */
public sealed interface ChannelMethod extends Method {
  int CLASS_ID = 20;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static ChannelMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Open.METHOD_ID -> Open.read(in);
      case OpenOk.METHOD_ID -> OpenOk.read(in);
      case Flow.METHOD_ID -> Flow.read(in);
      case FlowOk.METHOD_ID -> FlowOk.read(in);
      case Close.METHOD_ID -> Close.read(in);
      case CloseOk.METHOD_ID -> CloseOk.INSTANCE;
      default -> null;
    };
  }

  /** The client opens a channel. */
  record Open() implements ChannelMethod {
    public static final int METHOD_ID = 10;

    static Open read(MethodReader in) {
      in.shortString();
      return new Open();
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

  /** The answer to {@link Open}. */
  record OpenOk() implements ChannelMethod {
    public static final int METHOD_ID = 11;

    static OpenOk read(MethodReader in) {
      in.longText();
      return new OpenOk();
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.longText(out, "");
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** One side asks the other to stop or go on sending content. */
  record Flow(boolean active) implements ChannelMethod {
    public static final int METHOD_ID = 20;

    static Flow read(MethodReader in) {
      boolean active = (in.uint8() & 1) != 0;
      return new Flow(active);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.bits(out, active);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Flow}. */
  record FlowOk(boolean active) implements ChannelMethod {
    public static final int METHOD_ID = 21;

    static FlowOk read(MethodReader in) {
      boolean active = (in.uint8() & 1) != 0;
      return new FlowOk(active);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.bits(out, active);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * Either side ends the channel.
   *
   * @param replyText cut to 255 bytes when encoded
   * @param failedClassId the class of the method that failed, or 0; the specification's class-id,
   *     which here is that of close itself
   * @param failedMethodId the method that failed, or 0; the specification's method-id
   */
  record Close(int replyCode, String replyText, int failedClassId, int failedMethodId)
      implements ChannelMethod {
    public static final int METHOD_ID = 40;

    static Close read(MethodReader in) {
      int replyCode = in.uint16();
      String replyText = in.shortString();
      int failedClassId = in.uint16();
      int failedMethodId = in.uint16();
      return new Close(replyCode, replyText, failedClassId, failedMethodId);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, replyCode);
      MethodWriter.cutShortString(out, replyText);
      MethodWriter.uint16(out, failedClassId);
      MethodWriter.uint16(out, failedMethodId);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Close}. */
  record CloseOk() implements ChannelMethod {
    public static final int METHOD_ID = 41;
    public static final CloseOk INSTANCE = new CloseOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
