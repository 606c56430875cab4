package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.link.DeliveryCodec;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.replication.ReplicationCodec;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.Shard;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/*
 * A connection between two nodes, as TCP gives one: what is sent arrives in order and without gaps. When it breaks, the last of what is under way in each
 * direction is lost, and each side learns of the end on its own, after what still arrives. What is sent after that goes nowhere.
 */
/** A connection between two nodes, whose frames move when the network is told so. */
final class SimulatedConnection {
  /** With more bytes than these under way a side is not writable. */
  private static final int HIGH_WATER = 1500;

  private static final int LOW_WATER = 500;

  /**
   * What is under way.
   *
   * @param sentAtMillis the time on the sender's clock; before, if it may be of what another shard
   *     has handed over, which is out of its queue then
   */
  private record Frame(int type, ByteBuffer body, long sentAtMillis) {}

  /** A message, as the queue's node numbers it and as its publisher does. */
  private record Arrived(long sequence, int number) {}

  /**
   * When a message was sent; of several queues or times, the ones that allow most.
   *
   * @param sentAtMillis on the sender's clock
   * @param offsetMillis from elapsed time to what the sender's clock has shown when time had passed
   *     since only while the message was here
   */
  private record Sent(long sentAtMillis, long offsetMillis) {
    Sent orEarlier(Sent other) {
      return new Sent(
          Math.min(sentAtMillis, other.sentAtMillis), Math.min(offsetMillis, other.offsetMillis));
    }
  }

  private final SimulatedNetwork network;
  private boolean broken;

  /** The side that has opened it. */
  final Side near;

  /** The home node's side. */
  final Side far;

  /** What it is for in a replicated partition; null for the queues of a node. */
  final PartitionService service;

  SimulatedConnection(SimulatedNetwork network, Side near, Side far, PartitionService service) {
    this.service = service;
    this.network = network;
    this.near = near;
    this.far = far;
    near.connect(this, far);
    far.connect(this, near);
  }

  void open() {
    far.up();
    near.up();
  }

  boolean isBroken() {
    return broken;
  }

  /** Returns whether both sides know of its end. */
  boolean isOver() {
    return near.isGone() && far.isGone();
  }

  private boolean isOfReplica() {
    return service != null && service.isOfReplica();
  }

  boolean touches(NodeProcess process) {
    return near.process == process || far.process == process;
  }

  /** It breaks: in each direction some of what is under way still arrives. */
  void lose(Random random, String why) {
    broken = true;
    near.end(random, why);
    far.end(random, why);
  }

  /** One side of a connection. */
  static final class Side implements LinkPort {
    final NodeProcess process;
    final Shard shard;
    private final LinkListener listener;
    private final Runnable onLost;
    private final ArrayDeque<Frame> incoming = new ArrayDeque<>();
    private SimulatedConnection connection;
    private Side other;
    private long bytes;
    private String end;
    private boolean writable = true;
    private boolean closed;
    private boolean over;
    private boolean stopped;
    private final Map<Arrived, Sent> arrivals = new HashMap<>();

    /**
     * Creates a side.
     *
     * @param onLost called on the shard's loop when the listener knows that the connection is lost
     */
    Side(NodeProcess process, Shard shard, LinkListener listener, Runnable onLost) {
      this.process = process;
      this.shard = shard;
      this.listener = listener;
      this.onLost = onLost;
    }

    private void connect(SimulatedConnection made, Side opposite) {
      connection = made;
      other = opposite;
    }

    private void up() {
      shard.execute(() -> listener.up(this));
    }

    @Override
    public void send(int type, ByteWriter body) {
      if (closed || connection.broken) {
        return;
      }
      if (connection.isOfReplica() && this == connection.far && type != PartitionService.TAKEN) {
        answer(type, body);
      } else {
        deliver(type, body);
      }
    }

    /** A follower answers. */
    private void answer(int type, ByteWriter body) {
      ToLeader sent =
          ReplicationCodec.readFromFollower(type, new ByteReader(body.bytes(), body.size()));
      ByteWriter arriving = new ByteWriter();
      int arrivingType =
          ReplicationCodec.write(connection.network.fencing().arriving(sent), arriving);
      deliver(arrivingType, arriving);
    }

    private void deliver(int type, ByteWriter body) {
      byte[] copy = Arrays.copyOf(body.bytes(), body.size());
      if (connection.isOfReplica() && this == connection.near) {
        process.cluster().leaders().sent(connection.service.partition(), process, type, copy);
      }
      other.incoming.addLast(new Frame(type, ByteBuffer.wrap(copy), handedOverMillis()));
      other.bytes += copy.length;
      writable &= other.bytes < HIGH_WATER;
      process.cluster().trace().sent(process.cluster().elapsedMillis(), type, copy);
    }

    /** Returns the earliest time at which what is sent now may have left its queue. */
    private long handedOverMillis() {
      long now = process.clock().millis();
      return process.shards().count() == 1
          ? now
          : Math.min(now, ((ManualLoop) shard.loop()).behindSinceMillis());
    }

    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public boolean isWritable() {
      return writable && !closed;
    }

    @Override
    public void close(String why) {
      if (!closed) {
        connection.broken = true;
        other.end(connection.network.random(), why);
        incoming.clear();
        end = why;
        stopped = true;
        lost();
      }
    }

    /** After some of what is under way, nothing arrives any more. */
    private void end(Random random, String why) {
      if (end == null) {
        int lostFrames =
            connection.network.isBlocked(other.process.node().number(), process.node().number())
                ? incoming.size()
                : random.nextInt(incoming.size() + 1);
        for (int lost = lostFrames; lost > 0; lost--) {
          incoming.removeLast();
        }
        end = why;
      }
    }

    private boolean isGone() {
      return over || !process.isRunning();
    }

    /** Returns whether something is to arrive here. */
    boolean isAwaiting() {
      return !over && (!incoming.isEmpty() || end != null);
    }

    /** Returns whether frames are to arrive here. */
    boolean hasFrames() {
      return !incoming.isEmpty();
    }

    /** The next frames arrive at once, or the end does. */
    void arrive(Random random) {
      if (!incoming.isEmpty()) {
        List<Frame> read = new ArrayList<>();
        for (int count = 1 + random.nextInt(incoming.size()); count > 0; count--) {
          Frame frame = incoming.removeFirst();
          bytes -= frame.body.remaining();
          read.add(frame);
        }
        shard.execute(() -> read.forEach(this::receive));
        if (!other.writable && bytes < LOW_WATER) {
          other.writable = true;
          other.shard.execute(other::becomeWritable);
        }
      } else if (end != null && !over) {
        lost();
      }
    }

    private void becomeWritable() {
      if (!closed) {
        listener.writable();
      }
    }

    private void lost() {
      closed = true;
      over = true;
      shard.execute(
          () -> {
            listener.lost(end);
            onLost.run();
          });
    }

    /** Notes when the messages of a frame were sent: those that are held are given out later. */
    private void noteArrivals(Frame frame) {
      new DeliveryCodec(version())
          .read(
              new ByteReader(frame.body.duplicate()),
              (consumer, sequence, message, redelivered, millisLeft) ->
                  arrivals.merge(
                      new Arrived(sequence, NumberedMessage.numberOf(message)),
                      new Sent(
                          frame.sentAtMillis,
                          frame.sentAtMillis - process.cluster().elapsedMillis()),
                      Sent::orEarlier));
    }

    /**
     * Returns when a message that has come by this connection is given to a client, by the clock of
     * the other side, less the time that it was under way; -1 if it has not come by it. What
     * nothing settles is given to the client with the frame.
     */
    long handedOut(long sequence, int number) {
      Sent sent = arrivals.get(new Arrived(sequence, number));
      if (sent == null) {
        return -1;
      }
      return sequence < 0
          ? sent.sentAtMillis
          : process.cluster().elapsedMillis() + sent.offsetMillis;
    }

    private void receive(Frame frame) {
      if (stopped) {
        return;
      }
      if (frame.type == LinkFrame.DELIVER && connection.service == null) {
        noteArrivals(frame);
      }
      try {
        listener.frame(frame.type, new ByteReader(frame.body));
      } catch (ByteFormatException e) {
        connection.network.misunderstood(frame.type, e);
        close(e.getMessage());
      } catch (RuntimeException | AssertionError e) {
        shard.faults().report("a frame of another node on", shard, e);
        close("the frame could not be processed");
      }
    }
  }
}
