package io.mayflymq.server.cluster.consensus;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** What a member asks the leader for. */
final class LogRequest {
  private static final int UUID_BYTES = 2 * Long.BYTES;
  private static final long FIRST_TIME = Long.MAX_VALUE;

  private final Kind kind;
  private final ProposalId id;
  private final long since;
  private final byte[] content;

  /**
   * Creates a request that is made for the first time.
   *
   * @param content the entry; else the member by its name, behind its UUID if it is to be added
   */
  LogRequest(Kind kind, ProposalId id, byte[] content) {
    this(kind, id, FIRST_TIME, content);
  }

  private LogRequest(Kind kind, ProposalId id, long since, byte[] content) {
    this.kind = kind;
    this.id = id;
    this.since = since;
    this.content = content;
  }

  /**
   * Returns the same request, made again.
   *
   * @param since an index that was committed before it was made for the first time; -1 for none
   */
  LogRequest again(long since) {
    return new LogRequest(kind, id, since, content);
  }

  /** Whether an earlier attempt may have been carried out. */
  boolean isRepeated() {
    return since != FIRST_TIME;
  }

  /** Returns an index that was committed before the first attempt. */
  long since() {
    return since;
  }

  /** What is asked for. The code is what is sent: it never changes. */
  enum Kind {
    ENTRY(0),
    ADD(1),
    REMOVE(2),
    LEAD(3);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    private static Kind of(byte code) throws IOException {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IOException("unknown request to the leader: kind " + code);
    }
  }

  /** Asks to add a member. */
  static LogRequest add(ProposalId id, Member member) {
    byte[] name = member.name().getBytes(StandardCharsets.UTF_8);
    ByteBuffer content =
        ByteBuffer.allocate(UUID_BYTES + name.length)
            .putLong(member.id().getMostSignificantBits())
            .putLong(member.id().getLeastSignificantBits())
            .put(name);
    return new LogRequest(Kind.ADD, id, content.array());
  }

  /** Asks to remove a member, or to make it the leader. */
  static LogRequest named(Kind kind, ProposalId id, String name) {
    return new LogRequest(kind, id, name.getBytes(StandardCharsets.UTF_8));
  }

  Kind kind() {
    return kind;
  }

  ProposalId id() {
    return id;
  }

  /** Returns the entry. */
  byte[] content() {
    return content;
  }

  /** Returns the name of the member to remove, or to lead. */
  String name() {
    return new String(content, StandardCharsets.UTF_8);
  }

  /** Returns the member to add. */
  Member member() {
    ByteBuffer in = ByteBuffer.wrap(content);
    UUID id = new UUID(in.getLong(), in.getLong());
    return new Member(
        id, new String(content, UUID_BYTES, content.length - UUID_BYTES, StandardCharsets.UTF_8));
  }

  byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(1 + ProposalId.BYTES + Long.BYTES + content.length);
    out.put(kind.code);
    id.encode(out);
    return out.putLong(since).put(content).array();
  }

  /**
   * @throws IOException if it is not the encoded form of a request
   */
  static LogRequest decode(byte[] bytes) throws IOException {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      Kind kind = Kind.of(in.get());
      ProposalId id = ProposalId.decode(in);
      long since = in.getLong();
      byte[] content = new byte[in.remaining()];
      in.get(content);
      LogRequest request = new LogRequest(kind, id, since, content);
      if (request.kind() == Kind.ADD && content.length <= UUID_BYTES) {
        throw new IOException("a request to add a member without a name");
      }
      return request;
    } catch (BufferUnderflowException e) {
      throw new IOException("a request to the leader of " + bytes.length + " bytes", e);
    }
  }
}
