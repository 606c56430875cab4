package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.cluster.replication.ReplicationMessage.Copy;
import io.mayflymq.cluster.replication.ReplicationMessage.Follow;
import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Lead;
import io.mayflymq.cluster.replication.ReplicationMessage.Position;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.Released;
import io.mayflymq.cluster.replication.ReplicationMessage.TakeOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakenOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakesOver;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes and reads messages as frames of a connection between a leader and a follower: the type of
 * the frame is the kind of the message, and its body begins with the epoch. The types never change;
 * none is the type of a frame for queues.
 */
public final class ReplicationCodec {
  // To the follower
  private static final int LEAD = 48;
  private static final int FOLLOW = 49;
  private static final int APPEND = 50;
  private static final int TAKE_OVER = 51;
  private static final int COPY = 52;
  private static final int TAKEN_OVER = 53;
  private static final int RELEASED = 54;

  // To the leader
  private static final int POSITION = 64;
  private static final int FORCED = 65;
  private static final int REFUSED = 66;
  private static final int TAKES_OVER = 67;

  private static final int LEAST_BYTES_OF_BURST = 2;
  private static final int BYTES_OF_START = 2;
  private static final int LEAST_BYTES_OF_STREAM = 2;
  private static final int LEAST_BYTES_OF_NOTE = 2;

  private ReplicationCodec() {}

  /**
   * Writes a message.
   *
   * @param out empty
   * @return the type of its frame
   */
  public static int write(ReplicationMessage message, ByteWriter out) {
    out.number(message.epoch());
    if (message instanceof Append append) {
      out.number(append.committed());
      out.signed(append.sentAt());
      writeBursts(out, append.bursts());
      out.number(append.timeMillis());
      write(out, append.leases());
      return APPEND;
    } else if (message instanceof Forced told) {
      out.number(told.forced());
      out.signed(told.sentAt());
      return FORCED;
    } else if (message instanceof Position position) {
      write(out, position.last());
      write(out, position.history());
      return POSITION;
    } else if (message instanceof Follow follow) {
      out.number(follow.after());
      return FOLLOW;
    } else if (message instanceof Copy copy) {
      out.bytes(copy.content());
      return COPY;
    } else if (message instanceof TakenOver taken) {
      write(out, taken.last());
      write(out, taken.history());
      return TAKEN_OVER;
    } else if (message instanceof TakesOver takes) {
      out.number(takes.streamEnds().size());
      takes.streamEnds().forEach((stream, end) -> out.number(stream).number(end));
      return TAKES_OVER;
    } else if (message instanceof Refused refused) {
      out.number(refused.known());
      return REFUSED;
    } else if (message instanceof Released) {
      return RELEASED;
    }
    return message instanceof Lead ? LEAD : TAKE_OVER;
  }

  /** Bursts have consecutive numbers. */
  private static void writeBursts(ByteWriter out, List<Burst> bursts) {
    out.room(bursts.stream().mapToInt(Burst::bytes).sum());
    out.number(bursts.size());
    if (!bursts.isEmpty()) {
      out.number(bursts.get(0).id().number());
    }
    for (Burst burst : bursts) {
      out.number(burst.id().epoch());
      out.bytes(burst.content());
    }
  }

  /** Without any there is nothing, as in earlier builds, which do not read it either. */
  private static void write(ByteWriter out, LeaseNotes leases) {
    if (!leases.isEmpty()) {
      out.bit(leases.all());
      out.number(leases.notes().size());
      leases.notes().forEach(note -> out.number(note.queueId()).signed(note.unusedMillis()));
    }
  }

  private static void write(ByteWriter out, BurstId id) {
    out.number(id.epoch());
    out.number(id.number());
  }

  private static void write(ByteWriter out, EpochHistory history) {
    out.number(history.starts().size());
    history.starts().forEach(start -> write(out, start));
  }

  /**
   * Reads a message of a leader.
   *
   * @throws ByteFormatException if it cannot be read
   */
  public static ToFollower readFromLeader(int type, ByteReader in) {
    long epoch = in.number();
    return switch (type) {
      case LEAD -> new Lead(epoch);
      case FOLLOW -> new Follow(epoch, in.number());
      case APPEND -> {
        long committed = in.number();
        long sentAt = in.signed();
        List<Burst> bursts = bursts(in);
        // Nodes of earlier builds do not send it.
        long timeMillis = in.remaining() > 0 ? in.number() : 0;
        LeaseNotes leases = in.remaining() > 0 ? leases(in) : LeaseNotes.NONE;
        yield new Append(epoch, bursts, committed, sentAt, timeMillis, leases);
      }
      case TAKE_OVER -> new TakeOver(epoch);
      case COPY -> new Copy(epoch, ByteBuffer.wrap(in.bytes()));
      case TAKEN_OVER -> new TakenOver(epoch, id(in), history(in));
      case RELEASED -> new Released(epoch);
      default -> throw unknown(type);
    };
  }

  /**
   * Reads a message of a follower.
   *
   * @throws ByteFormatException if it cannot be read
   */
  public static ToLeader readFromFollower(int type, ByteReader in) {
    long epoch = in.number();
    return switch (type) {
      case POSITION -> new Position(epoch, id(in), history(in));
      case FORCED -> new Forced(epoch, in.number(), in.signed());
      case REFUSED -> new Refused(epoch, in.number());
      case TAKES_OVER -> new TakesOver(epoch, streamEnds(in));
      default -> throw unknown(type);
    };
  }

  private static List<Burst> bursts(ByteReader in) {
    int count = in.count(LEAST_BYTES_OF_BURST);
    List<Burst> bursts = new ArrayList<>(count);
    long number = count == 0 ? 0 : in.number();
    for (int i = 0; i < count; i++) {
      BurstId id = id(in.number(), number + i);
      bursts.add(new Burst(id, ByteBuffer.wrap(in.bytes())));
    }
    return bursts;
  }

  private static LeaseNotes leases(ByteReader in) {
    boolean all = in.bit();
    int count = in.count(LEAST_BYTES_OF_NOTE);
    List<LeaseNote> notes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      notes.add(new LeaseNote(in.number(), in.signed()));
    }
    return new LeaseNotes(all, notes);
  }

  private static Map<Long, Long> streamEnds(ByteReader in) {
    Map<Long, Long> ends = new HashMap<>();
    for (int left = in.count(LEAST_BYTES_OF_STREAM); left > 0; left--) {
      ends.put(in.number(), in.number());
    }
    return Map.copyOf(ends);
  }

  private static EpochHistory history(ByteReader in) {
    EpochHistory history = EpochHistory.NONE;
    for (int left = in.count(BYTES_OF_START); left > 0; left--) {
      BurstId start = id(in);
      try {
        history = history.with(start);
      } catch (IllegalArgumentException e) {
        throw new ByteFormatException("epochs are not in order: " + e.getMessage());
      }
    }
    return history;
  }

  private static BurstId id(ByteReader in) {
    return id(in.number(), in.number());
  }

  private static BurstId id(long epoch, long number) {
    try {
      return new BurstId(epoch, number);
    } catch (IllegalArgumentException e) {
      throw new ByteFormatException("there is no " + e.getMessage());
    }
  }

  private static ByteFormatException unknown(int type) {
    return new ByteFormatException("a frame of the unknown type %d".formatted(type));
  }
}
