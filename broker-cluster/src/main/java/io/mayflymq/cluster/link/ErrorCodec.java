package io.mayflymq.cluster.link;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;

/** Errors of requests: scope, code and text as they are. */
public final class ErrorCodec {
  private static final int CHANNEL = 0;
  private static final int CONNECTION = 1;

  private ErrorCodec() {}

  /** Writes an error; one that is not of the protocol becomes 541. */
  public static void write(ByteWriter out, Throwable failure) {
    Throwable cause = Causes.of(failure);
    AmqpException error =
        cause instanceof AmqpException known
            ? known
            : new ConnectionException(ReplyCode.INTERNAL_ERROR, String.valueOf(cause.getMessage()));
    out.octet(error instanceof ChannelException ? CHANNEL : CONNECTION);
    out.number(error.code().code());
    out.text(error.detail());
  }

  /** Reads an error. */
  public static AmqpException read(ByteReader in) {
    int scope = in.octet();
    int number = in.integer();
    String text = in.text();
    for (ReplyCode code : ReplyCode.values()) {
      if (code.code() == number) {
        return scope == CHANNEL
            ? new ChannelException(code, text)
            : new ConnectionException(code, text);
      }
    }
    throw new ByteFormatException("unknown reply code " + number);
  }
}
