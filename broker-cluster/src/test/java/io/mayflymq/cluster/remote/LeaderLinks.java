package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.owner.ConsumerOrder;
import io.mayflymq.cluster.owner.OwnerLink;
import io.mayflymq.cluster.owner.QueueLookup;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Connections to whichever node leads a partition. One broker stands for all of them, as if what it
 * has were on each: so a new leader has what the one before has applied. A batch whose number was
 * applied is not applied again.
 */
final class LeaderLinks implements PartitionHost {
  /** Who has sent batches: the two halves of a link's number, and its node. */
  record Origin(long high, long low, long member) {}

  private final TestBroker home;
  private final List<Leader> opened = new ArrayList<>();
  private boolean reachable = true;

  /** What leaders have told that cannot commit; null while they can. */
  private List<Runnable> untold;

  /** The number of the last batch that was applied, by origin. */
  final Map<Origin, Long> applied = new HashMap<>();

  /** The names of the nodes that were connected to. */
  final List<String> nodes = new ArrayList<>();

  /** How many batches were sent that had been applied before. */
  int repeated;

  LeaderLinks(TestBroker home) {
    this.home = home;
  }

  @Override
  public Connection connect(String node, int partition, Shard shard, LinkListener listener) {
    nodes.add(node);
    Leader leader = new Leader(shard, listener);
    opened.add(leader);
    if (reachable) {
      leader.open();
    } else {
      shard.execute(() -> listener.lost("unreachable"));
    }
    return leader;
  }

  /** What is under way is lost, in both directions, and no leader can be reached. */
  void cut() {
    reachable = false;
    opened.forEach(Leader::lose);
  }

  /** Leaders can be reached again. */
  void mend() {
    if (!reachable) {
      reachable = true;
      opened.forEach(Leader::open);
    }
  }

  /** Leaders can be reached, and cannot commit: what they tell waits. */
  void stall() {
    untold = new ArrayList<>();
    opened.forEach(leader -> leader.incarnation.back.tell(LinkFrame.STALLED));
  }

  /** They can commit again. */
  void goOn() {
    List<Runnable> told = untold;
    untold = null;
    told.forEach(Runnable::run);
    opened.forEach(leader -> leader.incarnation.back.tell(LinkFrame.GOES_ON));
  }

  private final class Leader implements Connection {
    private final Shard near;
    private final LinkListener listener;
    private Incarnation incarnation;

    Leader(Shard near, LinkListener listener) {
      this.near = near;
      this.listener = listener;
    }

    void open() {
      incarnation = new Incarnation(near, listener);
      incarnation.open();
    }

    void lose() {
      if (incarnation != null) {
        incarnation.lose("cut");
        incarnation = null;
      }
    }

    /** What was on its way from there arrives all the same. */
    @Override
    public void end() {
      opened.remove(this);
      if (incarnation != null) {
        incarnation.endThere();
      }
    }
  }

  /** One connection. */
  private final class Incarnation {
    private final Shard near;
    private final LinkListener listener;
    private final Shard farShard;
    private final OwnerLink far;
    private final Way there;
    private final Way back;
    private Origin origin;

    Incarnation(Shard near, LinkListener listener) {
      this.near = near;
      this.listener = listener;
      this.farShard = home.shards.get(near.index() % home.shards.count());
      this.far =
          new OwnerLink(
              farShard,
              home.partitions,
              lookup(),
              null,
              new ConsumerOrder(farShard, nodes.size(), List.of()).of("here"));
      this.there = new Way(farShard, false, this::receive);
      this.back = new Way(near, true, (type, body) -> listener.frame(type, reader(body)));
    }

    void open() {
      farShard.execute(() -> far.up(back));
      back.carry(() -> listener.up(there));
    }

    void endThere() {
      there.ended = true;
      farShard.execute(() -> far.lost("ended"));
    }

    void lose(String why) {
      back.ended = true;
      endThere();
      near.execute(() -> listener.lost(why));
    }

    private void receive(int type, byte[] body) {
      ByteReader in = reader(body);
      if (type == LinkFrame.ORIGIN) {
        origin = new Origin(in.number(), in.number(), in.number());
      } else if (origin == null) {
        throw new AssertionError("the first frame is of type " + type);
      } else if (type != LinkFrame.COMMANDS || isNew(in)) {
        far.frame(type, reader(body));
      }
    }

    private boolean isNew(ByteReader in) {
      long number = in.number();
      long last = applied.getOrDefault(origin, 0L);
      if (number > last + 1) {
        throw new AssertionError("batch %d comes after %d".formatted(number, last));
      }
      if (number == last + 1) {
        applied.put(origin, number);
        return true;
      }
      repeated++;
      back.send(LinkFrame.RETURNED, new ByteWriter().number(number).number(0).number(0));
      if (in.octet() != 0) {
        back.send(LinkFrame.ARRIVED, new ByteWriter().number(number));
      }
      return false;
    }
  }

  /** One direction of a connection: what is under way are tasks of a loop. */
  private final class Way implements LinkPort {
    private final Shard to;
    private final boolean isBack;
    private final BiConsumer<Integer, byte[]> receiver;
    private boolean ended;

    Way(Shard to, boolean isBack, BiConsumer<Integer, byte[]> receiver) {
      this.to = to;
      this.isBack = isBack;
      this.receiver = receiver;
    }

    void carry(Runnable arrival) {
      to.execute(
          () -> {
            if (!ended) {
              arrival.run();
            }
          });
    }

    @Override
    public void send(int type, ByteWriter body) {
      byte[] copy = Arrays.copyOf(body.bytes(), body.size());
      Runnable arrival = () -> carry(() -> receiver.accept(type, copy));
      if (isBack && untold != null) {
        untold.add(arrival);
      } else {
        arrival.run();
      }
    }

    void tell(int type) {
      carry(() -> receiver.accept(type, new byte[0]));
    }

    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {
      throw new AssertionError(why);
    }
  }

  private static ByteReader reader(byte[] body) {
    return new ByteReader(body, body.length);
  }

  private QueueLookup lookup() {
    return new QueueLookup() {
      @Override
      public Queue find(String vhost, String name, long id) {
        Queue found = home.vhost.routing().queue(name);
        return found == null || found.id() != id ? null : found;
      }

      @Override
      public boolean mayCome(String vhost, String name, long id) {
        return false;
      }
    };
  }
}
