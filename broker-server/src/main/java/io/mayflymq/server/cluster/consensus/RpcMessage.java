package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.util.Arrays;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/** The bytes of a message between members: its kind, then Ratis's encoding of its content. */
final class RpcMessage {
  /** What a message is. The code is what is sent: it never changes. */
  public enum Kind {
    VOTE(1),
    APPEND(2),
    INSTALL(3),
    START_ELECTION(4),
    /** Answered at once, without content: is the node there? */
    PING(5),
    /** Asks for the numbers of recent proposals. */
    RECENT(6);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }
  }

  private RpcMessage() {}

  /** Encodes a message without content. */
  public static byte[] encode(Kind kind) {
    return new byte[] {kind.code};
  }

  /** Encodes a request. */
  public static byte[] encode(Kind kind, MessageLite content) throws IOException {
    byte[] bytes = new byte[1 + content.getSerializedSize()];
    bytes[0] = kind.code;
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, 1, bytes.length - 1);
    content.writeTo(out);
    out.flush();
    return bytes;
  }

  /**
   * Returns the kind of a request.
   *
   * @throws IOException if it has none that is known
   */
  public static Kind kind(byte[] request) throws IOException {
    for (Kind kind : Kind.values()) {
      if (request.length > 0 && request[0] == kind.code) {
        return kind;
      }
    }
    throw new IOException(
        request.length == 0
            ? "an empty message of the consensus protocol"
            : "unknown message of the consensus protocol: kind " + request[0]);
  }

  /** Decodes the content of a request. */
  public static <T> T content(byte[] request, Parser<T> parser) throws IOException {
    return parser.parseFrom(CodedInputStream.newInstance(request, 1, request.length - 1));
  }

  /** Returns the content of a request as it is. */
  public static byte[] content(byte[] request) {
    return Arrays.copyOfRange(request, 1, request.length);
  }
}
