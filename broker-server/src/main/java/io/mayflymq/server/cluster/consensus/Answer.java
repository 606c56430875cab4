package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The answer to a {@link LogRequest}.
 *
 * @param position where the entry was committed; of no meaning for other requests
 * @param text the name of the leader, empty if unknown, if this node does not lead; else why the
 *     request was refused or is to be repeated
 */
record Answer(Status status, LogPosition position, String text) {
  /** What became of the request. The code is what is sent: it never changes. */
  enum Status {
    DONE(0),
    NOT_LEADER(1),
    /** It cannot be carried out now; it can be soon. */
    LATER(2),
    REFUSED(3),
    /** It may have been carried out before; this leader cannot know. */
    UNKNOWN(4);

    private final byte code;

    Status(int code) {
      this.code = (byte) code;
    }

    private static Status of(byte code) throws IOException {
      for (Status status : values()) {
        if (status.code == code) {
          return status;
        }
      }
      throw new IOException("unknown answer of the leader: status " + code);
    }
  }

  private static final LogPosition NONE = new LogPosition(0, 0);

  static Answer done() {
    return done(NONE);
  }

  static Answer done(LogPosition position) {
    return new Answer(Status.DONE, position, "");
  }

  static Answer notLeader(String leader) {
    return new Answer(Status.NOT_LEADER, NONE, leader == null ? "" : leader);
  }

  static Answer later(String why) {
    return new Answer(Status.LATER, NONE, why);
  }

  static Answer refused(String why) {
    return new Answer(Status.REFUSED, NONE, why);
  }

  static Answer unknown() {
    return new Answer(
        Status.UNKNOWN, NONE, "the new leader cannot tell whether the old one has committed it");
  }

  byte[] encode() {
    byte[] chars = text.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + 2 * Long.BYTES + chars.length)
        .put(status.code)
        .putLong(position.term())
        .putLong(position.index())
        .put(chars)
        .array();
  }

  /**
   * @throws IOException if it is not the encoded form of an answer
   */
  static Answer decode(byte[] bytes) throws IOException {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      Status status = Status.of(in.get());
      LogPosition position = new LogPosition(in.getLong(), in.getLong());
      return new Answer(status, position, StandardCharsets.UTF_8.decode(in).toString());
    } catch (BufferUnderflowException e) {
      throw new IOException("an answer of the leader of " + bytes.length + " bytes", e);
    }
  }
}
