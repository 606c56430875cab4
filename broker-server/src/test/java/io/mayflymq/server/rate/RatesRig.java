package io.mayflymq.server.rate;

import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/** Shards, whose threads take turns at random, and consumers of them that keep to rates. */
final class RatesRig {
  static final long START = 1_800_000_000_000L;

  private final Random random;
  private final Map<String, Limits> users = new HashMap<>();
  private final Map<String, Limits> vhosts = new HashMap<>();
  private final List<Loop> loops = new ArrayList<>();
  final List<Shard> shards = new ArrayList<>();
  final List<Reader> readers = new ArrayList<>();
  final ClientRates rates =
      new ClientRates(
          name -> users.getOrDefault(name, Limits.NONE),
          name -> vhosts.getOrDefault(name, Limits.NONE));
  long now = START;

  RatesRig(int shards, Random random) {
    this.random = random;
    InstantSource clock = () -> Instant.ofEpochMilli(now);
    for (int index = 0; index < shards; index++) {
      Loop loop = new Loop();
      loops.add(loop);
      this.shards.add(new Shard(index, loop, clock, new Thrown()));
    }
  }

  void limitUser(String user, Limits limits) {
    users.put(user, limits);
    rates.userChanged(user);
  }

  void limitVhost(String vhost, Limits limits) {
    vhosts.put(vhost, limits);
    rates.vhostChanged(vhost);
  }

  static Limits deliveries(int rate, int burst) {
    return Limits.NONE.with(Limit.DELIVERY_RATE, rate).with(Limit.DELIVERY_BURST, burst);
  }

  Reader reader(String user, String vhost, int shard) {
    Reader reader = new Reader(user, vhost, shards.get(shard));
    readers.add(reader);
    return reader;
  }

  /** Lets a ms pass, and all be done that is due then. */
  void step() {
    now++;
    settle();
  }

  void run(long millis) {
    for (long i = 0; i < millis; i++) {
      step();
    }
  }

  /** Does all that is due. */
  void settle() {
    List<Loop> busy = new ArrayList<>(loops);
    busy.removeIf(loop -> !loop.hasWork());
    while (!busy.isEmpty()) {
      busy.get(random.nextInt(busy.size())).step();
      busy.clear();
      busy.addAll(loops);
      busy.removeIf(loop -> !loop.hasWork());
    }
  }

  private static final class Thrown implements Faults {
    @Override
    public void report(String what, Object of, Throwable fault) {
      throw new AssertionError(what + " " + of, fault);
    }

    @Override
    public void fatal(String what, Throwable fault) {
      throw new AssertionError(what, fault);
    }

    @Override
    public long containedCount() {
      return 0;
    }

    @Override
    public String lastContained() {
      return "";
    }
  }

  /** One thread. */
  private final class Loop implements EventLoop {
    private record Scheduled(long atMillis, Runnable task) {}

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Scheduled> scheduled =
        new PriorityQueue<>(Comparator.comparingLong(Scheduled::atMillis));
    private boolean running;

    @Override
    public boolean inEventLoop() {
      return running;
    }

    @Override
    public void execute(Runnable task) {
      tasks.addLast(task);
    }

    @Override
    public void schedule(Runnable task, long delayMillis) {
      scheduled.add(new Scheduled(now + delayMillis, task));
    }

    boolean hasWork() {
      return !tasks.isEmpty() || (!scheduled.isEmpty() && scheduled.peek().atMillis <= now);
    }

    void step() {
      Runnable task = tasks.isEmpty() ? scheduled.remove().task : tasks.removeFirst();
      running = true;
      try {
        task.run();
      } finally {
        running = false;
      }
    }
  }

  /** A consumer, and the queue that has messages for it alone. */
  final class Reader {
    final String user;
    final String vhost;
    final Shard shard;
    final ConnectionRates connection;
    private final ConsumerPace pace;

    /** When each message was delivered, in ms since the epoch. */
    final List<Long> delivered = new ArrayList<>();

    int ready;
    private boolean blocked;
    private boolean cancelled;
    private boolean closed;

    private Reader(String user, String vhost, Shard shard) {
      this.user = user;
      this.vhost = vhost;
      this.shard = shard;
      this.connection = rates.open(user, vhost);
      this.pace = new ConsumerPace(connection, shard, this::resumeThen);
    }

    /** So many messages enter its queue. */
    void enqueue(int count) {
      shard.execute(
          () -> {
            ready += count;
            dispatch();
          });
    }

    /** It is cancelled, as when its channel or its connection ends. */
    void cancel() {
      shard.execute(
          () -> {
            cancelled = true;
          });
    }

    /** Its connection ends; once. */
    void close() {
      if (!closed) {
        closed = true;
        cancel();
        connection.close();
      }
    }

    /** Like a queue, which does not ask a consumer without room again until it is resumed. */
    private void dispatch() {
      while (ready > 0 && !blocked && !cancelled) {
        if (connection.boundDeliveries() && !pace.take()) {
          blocked = true;
        } else {
          ready--;
          delivered.add(now);
        }
      }
    }

    private void resumeThen(Runnable next) {
      shard.execute(
          () -> {
            blocked = false;
            dispatch();
            next.run();
          });
    }

    /** Whether it has not been asked again since it had no room. */
    boolean waits() {
      return blocked;
    }

    boolean wants() {
      return ready > 0 && !cancelled;
    }

    /** Returns the number of messages that were delivered within so many ms until now. */
    long within(long millis) {
      return delivered.stream().filter(at -> at > now - millis).count();
    }
  }
}
