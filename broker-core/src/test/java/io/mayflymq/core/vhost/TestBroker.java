package io.mayflymq.core.vhost;

import io.mayflymq.core.deathjournal.MemoryDeathJournal;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.metadata.MemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.runtime.SteadyClock;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.store.disk.OrphanSearch;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A broker on loops, disks and a clock that move when they are told to. Nothing runs by itself:
 * {@link #trimMemory} lets everything run that waits, a test of a moment in between steps one loop,
 * one disk or the metadata.
 */
public final class TestBroker {
  public static final String VHOST = "/";
  public static final long ROOMY = 1L << 30;

  public final MemoryHost host;
  public final MemoryMetadataLog metadata;
  public final ManualLoops loops;
  public final Shards shards;
  public final Partitions partitions;
  public final Broker broker;
  public final VirtualHost vhost;
  public final RecordedFaults faults = new RecordedFaults();
  public final Broker.Recovered recovered;
  private final Size size;
  private Class<? extends Throwable> expectedFault;
  private final List<ShardCommandSender> commands = new ArrayList<>();

  /** How many partitions there are, and the memory for messages. */
  public record Size(int partitions, long memoryBytes) {}

  private TestBroker(
      MemoryHost host,
      MemoryMetadataLog metadata,
      ManualLoops loops,
      Size size,
      UnaryOperator<PartitionStore> around) {
    this.host = host;
    this.metadata = metadata;
    this.loops = loops;
    this.size = size;
    SteadyClock time = loops.clock().steady();
    int count = size.partitions();
    List<MetadataCommand> kept = new ArrayList<>(metadata.recover());
    kept.addAll(adopted(kept));
    host.metadataSequence(metadata::sequence);
    BiFunction<Integer, Shard, PartitionStore> stores = host.stores(count, size.memoryBytes());
    this.shards = new Shards(loops.all(), time, faults);
    this.partitions =
        new Partitions(
            shards,
            count,
            (partition, shard) ->
                new Started(
                    around.apply(stores.apply(partition, shard)), this, partition == count - 1),
            new MemoryDeathJournal(1_000));
    this.broker = new Broker(partitions, metadata, time, VHOST);
    this.vhost = broker.createVirtualHost(VhostDefinition.of(VHOST));
    atOnce(true);
    this.recovered = broker.recover(kept);
    for (int i = 0; i < shards.count(); i++) {
      commands.add(new ShardCommandSender(shards.get(i), partitions, () -> {}));
    }
  }

  /** What the start of a process does about messages that metadata do not know. */
  private List<MetadataCommand> adopted(List<MetadataCommand> kept) {
    Set<Long> known = new HashSet<>();
    for (MetadataCommand command : kept) {
      if (command instanceof MetadataCommand.QueueDeclared queue) {
        known.add(queue.id());
      } else if (command instanceof MetadataCommand.QueueKept deleted) {
        known.add(deleted.queue().id());
      }
    }
    long sequence = metadata.sequence() == 0 ? OrphanSearch.NO_METADATA : metadata.sequence();
    List<OrphanedQueue> orphans = host.orphans(sequence, known);
    if (orphans.isEmpty()) {
      return List.of();
    }
    if (!host.acceptsLoss()) {
      throw new StoreException("orphans: " + orphans, new IOException("metadata are older"));
    }
    metadata.goOnBehind(host.metadataSeen());
    List<MetadataCommand> commands = OrphanAdoption.of(orphans, kept, VHOST);
    metadata.append(commands);
    metadata.write();
    return commands;
  }

  /** A broker of so many shards on an empty machine. */
  public static TestBroker of(int shards) {
    return of(shards, ROOMY);
  }

  /** The same with this much memory for messages. */
  public static TestBroker of(int shards, long memoryBytes) {
    return of(shards, memoryBytes, UnaryOperator.identity());
  }

  /** The same, with something around each store. */
  public static TestBroker of(int shards, long memoryBytes, UnaryOperator<PartitionStore> around) {
    return new TestBroker(
        new MemoryHost(),
        new MemoryMetadataLog(),
        ManualLoops.of(shards),
        new Size(shards, memoryBytes),
        around);
  }

  /** The broker that starts on what a crash has left. */
  public TestBroker on(
      MemoryHost after, MemoryMetadataLog kept, int count, UnaryOperator<PartitionStore> with) {
    return on(after, kept, ManualLoops.of(count, loops.clock()), count, with);
  }

  /** The same with several partitions on a loop. */
  public TestBroker on(
      MemoryHost after,
      MemoryMetadataLog kept,
      ManualLoops nextLoops,
      int count,
      UnaryOperator<PartitionStore> with) {
    return new TestBroker(after, kept, nextLoops, new Size(count, size.memoryBytes()), with);
  }

  /** The process is killed, and another one starts. */
  public TestBroker afterKill(int count) {
    return on(host.afterKill(), metadata.afterCrash(), count, UnaryOperator.identity());
  }

  public TestBroker afterKill() {
    return afterKill(shards.count());
  }

  /** The machine dies with all that was not forced, and starts again. */
  public TestBroker afterPowerLoss(int count) {
    return on(
        host.afterPowerLoss(new Random(0), 0),
        metadata.afterCrash(),
        count,
        UnaryOperator.identity());
  }

  public TestBroker afterPowerLoss() {
    return afterPowerLoss(shards.count());
  }

  /** At start others are waited for, which is done here by running them at once. */
  private void atOnce(boolean now) {
    loops.all().forEach(loop -> loop.runAtOnce(now));
    host.runAtOnce(now);
    metadata.writeAtOnce(now);
  }

  // Running

  /** Lets everything run that waits, and what comes of it, while the clock stands. */
  public void trimMemory() {
    boolean ran = true;
    while (ran) {
      loops.settle();
      ran = metadata.write();
      ran |= host.flush();
    }
    faults.assertNoneBut(expectedFault);
  }

  /** Exceptions of this class may be contained from here on. */
  public TestBroker expectFaults(Class<? extends Throwable> kind) {
    expectedFault = kind;
    return this;
  }

  /** Lets the loops run, but no disk. */
  public void runLoops() {
    loops.settle();
  }

  /** Lets time pass, and everything run at its time. */
  public void advance(long millis) {
    for (long passed = 0; passed < millis; passed += Math.min(50, millis - passed)) {
      trimMemory();
      loops.advance(Math.min(50, millis - passed));
    }
    trimMemory();
  }

  public ManualClock clock() {
    return loops.clock();
  }

  /** Runs something on a shard's loop as a burst, now. */
  public void on(int shard, Runnable work) {
    loops.get(shard).call(() -> shards.get(shard).run(work));
  }

  private static <T> T done(CompletableFuture<T> future) {
    if (!future.isDone()) {
      throw new AssertionError("not done although everything rests");
    }
    return future.join();
  }

  private <T> T call(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> result = work.get();
    trimMemory();
    return done(result);
  }

  // Queues

  /** Declares a durable queue; the shards take turns. */
  public Queue declare(String name, FieldTable arguments) {
    call(() -> declaring(name, true, arguments));
    return queue(name);
  }

  public Queue declare(String name) {
    return declare(name, FieldTable.EMPTY);
  }

  /** Begins to declare a queue. */
  public CompletableFuture<DeclaredQueue> declaring(
      String name, boolean durable, FieldTable arguments) {
    return vhost.declareQueue(
        new QueueDeclaration(
            name, durable, false, false, arguments, this, shards.get(0), false, true));
  }

  /** Declares a queue on a shard. */
  public Queue declareOn(int shard, String name, FieldTable arguments) {
    for (int i = 0; i < shards.count(); i++) {
      Queue queue = declare(name, arguments);
      if (queue.shard().index() == shard) {
        return queue;
      }
      delete(name);
    }
    throw new AssertionError("no turn of shard " + shard);
  }

  public Queue declareOn(int shard, String name) {
    return declareOn(shard, name, FieldTable.EMPTY);
  }

  /** The queue of this name; null if there is none. */
  public Queue queue(String name) {
    return vhost.routing().queue(name);
  }

  public long delete(String name) {
    return call(() -> vhost.deleteQueue(name, this, false, false));
  }

  /** Brings back the queue of this name that was deleted last. */
  public Undeleted undelete(String name) {
    return call(
        () -> vhost.undeleteQueue(vhost.deletedQueue(name, OptionalLong.empty()), name, this));
  }

  public long purge(String name) {
    return call(() -> queue(name).requests().purge());
  }

  /** How many messages are ready. */
  public long ready(String name) {
    return call(() -> vhost.declareOk(name, this, false)).messages();
  }

  // Messages

  /** The sender of a connection that lives on this loop. */
  public ShardCommandSender commands(int loop) {
    return commands.get(loop);
  }

  /** Publishes from the loop of the queue, and leaves it at that. */
  public void publishing(Queue queue, Message message, PublishListener listener) {
    int shard = queue.shard().index();
    on(shard, () -> commands(shard).publish(queue, message, listener, numberOf(message)));
  }

  /** Publishes persistent messages, safely. */
  public void publish(String queue, int... numbers) {
    for (int number : numbers) {
      publishing(queue(queue), message(number), (sequence, accepted) -> {});
    }
    trimMemory();
  }

  /** Takes a message, to be settled; null if there is none. */
  public GetResult fetch(String queue) {
    return call(() -> queue(queue).requests().fetch(true));
  }

  /** Takes all messages without acknowledgement. */
  public List<Integer> drain(String queue) {
    List<Integer> numbers = new ArrayList<>();
    GetResult getResult = call(() -> queue(queue).requests().fetch(false));
    while (getResult != null) {
      numbers.add(numberOf(getResult.message()));
      getResult = call(() -> queue(queue).requests().fetch(false));
    }
    return numbers;
  }

  /** Settles messages on the queue's own loop, and leaves it at that. */
  public void settling(Settlement settlement, Queue queue, Consumer consumer, long from, long to) {
    int shard = queue.shard().index();
    on(shard, () -> settlement.settle(commands(shard), queue, consumer, from, to));
  }

  /** What can be done to messages that were delivered. */
  @FunctionalInterface
  public interface Settlement {
    Settlement ACKNOWLEDGE = ShardCommandSender::acknowledge;
    Settlement REJECT = ShardCommandSender::reject;
    Settlement REQUEUE = ShardCommandSender::requeue;

    void settle(ShardCommandSender commands, Queue queue, Consumer consumer, long from, long to);
  }

  /** Whom basic.get settles through. */
  public static Consumer getter() {
    return new Consumer(ShortString.of("get"), ConsumeOptions.DEFAULT, null);
  }

  /** A persistent message that bears a number. */
  public static Message message(int number) {
    return message(number, true, Message.NO_TTL, 0);
  }

  public static Message message(int number, boolean persistent, long ttlMillis, int padding) {
    return NumberedMessage.of(number, persistent, ttlMillis, padding);
  }

  /** The number that a message bears, however often it has died. */
  public static int numberOf(Message message) {
    return NumberedMessage.numberOf(message);
  }

  /** The arguments that send dead messages to a queue. */
  public static FieldTable deadLetteringTo(String queue) {
    return FieldTable.builder()
        .put("x-dead-letter-exchange", "")
        .put("x-dead-letter-routing-key", queue)
        .build();
  }

  /** Consumes without limit and remembers. */
  public static final class Collector implements ConsumerTarget {
    public record Delivery(long sequence, int number, boolean redelivered) {}

    public final List<Delivery> deliveries = new ArrayList<>();
    public final Consumer consumer;
    public boolean cancelled;
    public boolean full;
    public boolean shares;

    public Collector(boolean acknowledges, int prefetch) {
      this(acknowledges, prefetch, FieldTable.EMPTY);
    }

    public Collector(boolean acknowledges, int prefetch, FieldTable arguments) {
      consumer =
          new Consumer(
              ShortString.of("tag"),
              new ConsumeOptions(acknowledges, false, prefetch, arguments),
              this);
    }

    public List<Integer> numbers() {
      return deliveries.stream().map(Delivery::number).toList();
    }

    @Override
    public boolean reserve(Consumer asking) {
      return !full;
    }

    @Override
    public boolean sharesRoom() {
      return shares;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      deliveries.add(new Delivery(sequence, numberOf(message), redelivered));
    }

    @Override
    public void cancelled(Consumer gone) {
      cancelled = true;
    }
  }

  /** Consumes a queue. */
  public Collector consume(String queue, boolean acknowledges, int prefetch) {
    Collector collector = new Collector(acknowledges, prefetch);
    consume(queue(queue), collector);
    return collector;
  }

  public void consume(Queue queue, Collector collector) {
    call(() -> queue.requests().subscribe(collector.consumer, () -> {}));
  }

  /** Ends the time in which everything runs at once, when the last shard has recovered. */
  private static final class Started extends ForwardingPartitionStore {
    private final TestBroker broker;
    private final boolean last;

    Started(PartitionStore store, TestBroker broker, boolean last) {
      super(store);
      this.broker = broker;
      this.last = last;
    }

    @Override
    public void recoveredForGood() {
      super.recoveredForGood();
      if (last) {
        broker.atOnce(false);
      }
    }
  }
}
