package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.Moved;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.metadata.MemoryMetadataLog;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.queue.RemovalReason;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.deadletter.MoveRequest;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A broker to which random things happen, watched by a {@link StoreObserver}. */
final class CrashRig {
  /** What can happen, and how often it does beside the rest. */
  enum Action {
    DECLARE(8),
    DECLARE_AGAIN(4),
    PUBLISH(14),
    SCHEDULE(5),
    CONSUME(2),
    CANCEL(1),
    GET(6),
    SETTLE(8),
    PAUSE(2),
    RESUME(2),
    PURGE(1),
    RESTORE(3),
    UNSCHEDULE(1),
    DELETE(2),
    UNDELETE(2),
    /** An operator moves some messages elsewhere. */
    MOVE(4),
    /** A queue is declared with other arguments, and adopts them if a policy says so. */
    ADOPT(3),
    /** From now on queues adopt what they are declared with, or do not. */
    MISMATCH(2),
    /** From now on a queue gives each value of a header its turn, or does not. */
    FAIR(1),
    TIME(6),
    LOOP(12),
    DISK(8),
    METADATA(4),
    METADATA_FAILURE(1),
    REST(2),
    KILL(2),
    POWER_LOSS(2),

    /** From now on some reads of files fail. */
    READS_FAIL(2),
    /** From now on some messages cannot be stored, as something throws. */
    COMMANDS_FAIL(2),
    /** From now on nothing more can be written. */
    DISK_FULL(1),
    /** The next force fails: nothing is confirmed any more. */
    FORCE_FAILS(1),
    /** All that fails works again, but for logs whose force has failed. */
    MEND(4);

    final int weight;

    Action(int weight) {
      this.weight = weight;
    }
  }

  record Command(Action action, long seed) {}

  /** How it is set up. */
  record Setup(int shards, long memoryBytes) {}

  /** What was delivered and not settled. */
  private record Held(Queue queue, Consumer consumer, long sequence) {}

  /** After this time what cannot be read is tried again, and what cannot be written. */
  private static final long RETRY_MILLIS = 61_000;

  /** The header that tells messages of one tenant from those of others. */
  private static final String HEADER = "tenant";

  private static final int TENANTS = 3;

  private static final List<String> QUEUES = List.of("q0", "q1", "q2", "q3", "q4");

  private final Map<Long, QueueDefinition> definitions = new HashMap<>();

  /** The queues that have had a consumer without acknowledgements: it may leave no trace. */
  private final Set<Long> unacknowledged = new HashSet<>();

  private final DeadLetterWays ways =
      new DeadLetterWays(() -> this.broker, definitions, unacknowledged);
  private final StoreObserver storeObserver =
      new StoreObserver(ways::leads, ways::target, ways::isDeleted, ways::name);
  private final FaultyStores faulty = new FaultyStores(storeObserver::watch);
  private TestBroker broker;
  private final List<Held> held = new ArrayList<>();
  private final List<Tap> taps = new ArrayList<>();

  /** When messages are due that were scheduled, by their numbers. */
  private final Map<Integer, Long> dueTimes = new HashMap<>();

  /** The queue that each message was published to, by the number of the message. */
  private final Map<Integer, Long> publishedTo = new HashMap<>();

  /** How the queues were declared last. */
  private final Map<String, QueueDeclaration> wanted = new HashMap<>();

  private final Promises promises = new Promises(definitions);
  private final AdoptedArguments adopted = new AdoptedArguments();
  private final PausePromises pauses;

  /** What was asked and has to be answered, unless something has failed. */
  private final List<CompletableFuture<?>> asked = new ArrayList<>();

  private int numbers;

  /** Whether anything has failed since the start that only the next one mends. */
  private boolean anyFailed;

  CrashRig(Setup setup) {
    broker =
        TestBroker.of(setup.shards, setup.memoryBytes, faulty::around)
            .expectFaults(FaultyStores.Injected.class);
    pauses = new PausePromises(broker.vhost);
  }

  void run(Command command) {
    carryOut(command);
    broker.faults.assertNoneBut(FaultyStores.Injected.class);
  }

  private void carryOut(Command command) {
    Random random = new Random(command.seed);
    switch (command.action) {
      case DECLARE -> {
        String name = anyName(random);
        if (broker.queue(name) == null) {
          declare(name, random);
        }
      }
      case DECLARE_AGAIN -> {
        String name = anyName(random);
        if (wanted.containsKey(name)) {
          declareAgain(wanted.get(name), name, random);
        }
      }
      case PUBLISH -> publish(random, false);
      case SCHEDULE -> publish(random, true);
      case CONSUME -> consume(random);
      case CANCEL -> cancel(random);
      case GET -> get(random);
      case SETTLE -> settle(random);
      case PAUSE -> pauses.pause(anyName(random), random);
      case RESUME -> pauses.resume(anyName(random));
      case PURGE -> {
        Queue queue = anyQueue(random);
        if (queue != null) {
          asked.add(queue.requests().purge());
        }
      }
      case RESTORE -> {
        Queue queue = anyQueue(random);
        if (queue != null) {
          asked.add(
              queue
                  .requests()
                  .restore(
                      new Restoration.Choice(
                          now() - random.nextInt(3000),
                          EnumSet.allOf(RemovalReason.class),
                          random.nextBoolean(),
                          false)));
        }
      }
      case UNSCHEDULE -> {
        Queue queue = anyQueue(random);
        if (queue != null) {
          queue.requests().removeScheduled(null);
        }
      }
      case DELETE -> delete(anyName(random));
      case UNDELETE -> undelete(random);
      case MOVE -> move(random);
      case ADOPT -> adopt(random);
      case MISMATCH -> setPolicy("mismatch", "on-mismatch", random.nextInt(3) > 0 ? "adopt" : null);
      case FAIR -> setPolicy("fair", "fair-by", random.nextInt(3) > 0 ? HEADER : null);
      case TIME -> broker.loops.advance(random.nextInt(4) == 0 ? 1500 : random.nextInt(30));
      case LOOP -> {
        int loop = random.nextInt(broker.shards.count());
        for (int steps = random.nextInt(6); steps >= 0; steps--) {
          broker.loops.get(loop).step();
        }
      }
      case DISK -> {
        if (broker.host.flusherCount() > 0) {
          broker.host.flush(random.nextInt(broker.host.flusherCount()));
        }
      }
      case METADATA -> broker.metadata.write();
      case METADATA_FAILURE -> broker.metadata.fail("No space left on device");
      case REST -> broker.trimMemory();
      case KILL -> restart(broker.host.afterKill(), random);
      case POWER_LOSS ->
          restart(broker.host.afterPowerLoss(random, random.nextInt(3) / 2.0), random);
      case READS_FAIL -> {
        Random when = new Random(random.nextLong());
        broker.host.failReads(() -> when.nextInt(3) == 0);
      }
      case COMMANDS_FAIL -> {
        Random when = new Random(random.nextLong());
        faulty.failIf(() -> when.nextInt(3) == 0);
        anyFailed = true;
      }
      case DISK_FULL -> broker.host.fill(random.nextInt(500));
      case FORCE_FAILS -> {
        broker.host.failForces();
        anyFailed = true;
      }
      case MEND -> mend();
    }
  }

  private void mend() {
    faulty.failIf(() -> false);
    broker.host.failReads(() -> false);
    broker.host.fill(Long.MAX_VALUE);
  }

  private void declare(String name, Random random) {
    QueueDeclaration declaration =
        new QueueDeclaration(
            name,
            random.nextInt(5) > 0,
            false,
            false,
            RandomArguments.of(random, anyName(random)),
            broker,
            broker.shards.get(0),
            false,
            true);
    wanted.put(name, declaration);
    declare(declaration, name, random);
  }

  /** A party declares a queue, and perhaps binds it, whatever others do meanwhile. */
  private void declare(QueueDeclaration declaration, String name, Random random) {
    TestBroker now = broker;
    Binding binding = Binding.toQueue("amq.fanout", name, "");
    boolean binds = random.nextInt(3) == 0;
    if (declaration.arguments().containsKey("x-expires")) {
      promises.leasing(name);
    }
    AdoptedArguments.Wanted asked = adopted.requested(declaration);
    now.vhost
        .declareQueue(declaration)
        .thenCompose(
            status -> {
              if (now == broker) {
                promises.declared(now.queue(name));
                adopted.confirmed(asked, now.queue(name));
              }
              return binds ? now.vhost.bind(binding, now) : new CompletableFuture<Void>();
            })
        .thenRun(
            () -> {
              if (now == broker) {
                promises.bound(now.queue(name), binding);
              }
            });
    if (random.nextInt(3) == 0 && now.queue(name) == null) {
      bindEarly(binding);
    }
  }

  private void declareAgain(QueueDeclaration declaration, String name, Random random) {
    try {
      declare(declaration, name, random);
    } catch (ChannelException e) {
      assertThat(e.code()).as("as another was first").isEqualTo(ReplyCode.PRECONDITION_FAILED);
    }
  }

  /** Another party binds a queue that is being declared. */
  private void bindEarly(Binding binding) {
    TestBroker now = broker;
    try {
      now.vhost
          .bind(binding, now)
          .thenRun(
              () -> {
                if (now == broker) {
                  promises.bound(now.queue(binding.destination()), binding);
                }
              });
    } catch (ChannelException e) {
      assertThat(e.code()).isEqualTo(ReplyCode.NOT_FOUND);
    }
  }

  private void delete(String name) {
    TestBroker now = broker;
    promises.deleting(name);
    now.vhost
        .deleteQueue(name, now, false, false)
        .whenComplete(
            (count, failure) -> {
              if (now == broker) {
                promises.deleted(name);
              }
            });
  }

  /** Brings back a deleted queue, perhaps by another name; others may declare that meanwhile. */
  private void undelete(Random random) {
    TestBroker now = broker;
    List<KeptQueue> deleted =
        now.vhost.deletedQueues().stream().sorted(Comparator.comparingLong(KeptQueue::id)).toList();
    if (deleted.isEmpty()) {
      return;
    }
    KeptQueue kept = deleted.get(random.nextInt(deleted.size()));
    String name = random.nextInt(3) == 0 ? anyName(random) : kept.name();
    try {
      now.vhost
          .undeleteQueue(kept, name, now)
          .thenRun(
              () -> {
                if (now == broker) {
                  promises.declared(now.queue(name));
                }
              });
    } catch (ChannelException e) {
      assertThat(e.code()).isIn(ReplyCode.PRECONDITION_FAILED, ReplyCode.NOT_FOUND);
    }
  }

  private static String anyName(Random random) {
    return QUEUES.get(random.nextInt(QUEUES.size()));
  }

  private Queue anyQueue(Random random) {
    return broker.queue(anyName(random));
  }

  private void publish(Random random, boolean later) {
    int home = random.nextInt(broker.shards.count());
    broker.on(
        home,
        () -> {
          for (int count = random.nextInt(6); count >= 0; count--) {
            Queue queue = anyQueue(random);
            if (queue != null) {
              publish(random, home, queue, later);
            }
          }
        });
  }

  private void publish(Random random, int home, Queue queue, boolean later) {
    int number = numbers++;
    boolean persistent = random.nextInt(5) > 0;
    long ttl = random.nextInt(4) == 0 ? random.nextInt(30) : Message.NO_TTL;
    boolean counts = persistent && queue.definition().durable();
    TestBroker now = broker;
    PublishListener listener =
        (sequence, accepted) -> {
          if (accepted && counts && now == broker) {
            storeObserver.confirmed(number);
          }
        };
    storeObserver.published(number);
    publishedTo.put(number, queue.id());
    Message message =
        NumberedMessage.of(
            number, persistent, ttl, random.nextInt(300), tenant(number % (TENANTS + 1)));
    PublishListener told = random.nextInt(4) == 0 ? null : listener;
    if (later) {
      long due = now() + random.nextInt(random.nextInt(4) == 0 ? 3000 : 40);
      dueTimes.put(number, due);
      broker.commands(home).schedule(queue, message, due, told, number);
    } else {
      broker.commands(home).publish(queue, message, told, number);
    }
  }

  /** One of them publishes messages without the header. */
  private static FieldTable tenant(int number) {
    return number == TENANTS ? null : FieldTable.builder().put(HEADER, number).build();
  }

  private long now() {
    return broker.loops.clock().millis();
  }

  /** Sets a policy for all queues, or clears it if there is no value. */
  private void setPolicy(String name, String key, String value) {
    if (value == null) {
      broker.vhost.policies().clear(PolicyKind.POLICY, name);
    } else {
      broker
          .vhost
          .policies()
          .set(
              Policy.of(PolicyKind.POLICY, name, "", "queues", name.length(), Map.of(key, value))
                  .merging(true));
    }
  }

  /** A party declares a queue with other arguments than it has, but for what it promises. */
  private void adopt(Random random) {
    String name = anyName(random);
    QueueDeclaration before = wanted.get(name);
    if (before == null) {
      return;
    }
    FieldTable.Builder arguments = FieldTable.builder();
    RandomArguments.of(random, name)
        .forEach(
            (argument, value) -> {
              if (!isOfDeadLetters(argument)) {
                arguments.put(argument, value);
              }
            });
    before
        .arguments()
        .forEach(
            (argument, value) -> {
              if (isOfDeadLetters(argument)) {
                arguments.put(argument, value);
              }
            });
    QueueDeclaration changed =
        new QueueDeclaration(
            name,
            before.durable(),
            false,
            false,
            arguments.build(),
            broker,
            broker.shards.get(0),
            false,
            true);
    declareAgain(changed, name, random);
  }

  /** Where dead letters go, and whether a queue ends, is what this rig was told at first. */
  private static boolean isOfDeadLetters(String argument) {
    return argument.startsWith("x-dead-letter") || argument.equals("x-expires");
  }

  /** An operator moves some messages of a queue to another one, or to an exchange. */
  private void move(Random random) {
    Queue queue = anyQueue(random);
    if (queue == null) {
      return;
    }
    boolean one = random.nextInt(3) == 0;
    MessageChoice choice =
        new MessageChoice(
            one ? random.nextInt(20) : MessageChoice.ANY,
            random.nextInt(3) == 0 ? random.nextInt(30) : 0,
            null,
            Map.of(),
            1 + random.nextInt(5));
    boolean toExchange = random.nextInt(4) == 0;
    MoveRequest request =
        new MoveRequest(
            choice,
            toExchange ? null : anyName(random),
            toExchange ? "amq.fanout" : null,
            null,
            "ann",
            random.nextInt(8) == 0);
    broker
        .vhost
        .redrives()
        .move(queue, request, UNCONDITIONAL)
        .whenComplete(
            (begun, failure) -> {
              if (failure != null) {
                assertThat(Causes.of(failure)).isInstanceOf(ChannelException.class);
              }
            });
  }

  private static final Redrive.Conditions UNCONDITIONAL = new Unconditional();

  /** A message was handed out by a queue. */
  private void came(Queue queue, Message message) {
    pauses.handedOut(queue.name());
    boolean marked =
        message.headers().containsKey("x-death") || message.headers().containsKey(Moved.HEADER);
    assertThat(marked || publishedTo.get(TestBroker.numberOf(message)) == queue.id())
        .as("message %d in queue %d", TestBroker.numberOf(message), queue.id())
        .isTrue();
    Long due = dueTimes.get(TestBroker.numberOf(message));
    boolean died = message.headers().get("x-death") != null; // With its queue, before its time.
    assertThat(due == null || due <= now() || died).as("before its time").isTrue();
  }

  private void consume(Random random) {
    Queue queue = anyQueue(random);
    if (queue != null) {
      Tap tap = new Tap(queue, random.nextInt(4) > 0, random.nextInt(4));
      taps.add(tap);
      if (!tap.consumer.acknowledges()) {
        unacknowledged.add(queue.id());
      }
      queue.requests().subscribe(tap.consumer, () -> {});
    }
  }

  private void cancel(Random random) {
    if (!taps.isEmpty()) {
      Tap tap = taps.remove(random.nextInt(taps.size()));
      tap.queue.requests().cancel(tap.consumer);
    }
  }

  private void get(Random random) {
    Queue queue = anyQueue(random);
    if (queue == null) {
      return;
    }
    TestBroker now = broker;
    boolean acknowledges = random.nextInt(4) > 0;
    queue
        .requests()
        .fetch(acknowledges)
        .thenAccept(
            getResult -> {
              if (getResult != null && now == broker) {
                came(queue, getResult.message());
              }
              if (getResult != null && acknowledges && now == broker) {
                storeObserver.delivered(
                    queue.id(),
                    getResult.sequence(),
                    TestBroker.numberOf(getResult.message()),
                    getResult.redelivered());
                held.add(new Held(queue, TestBroker.getter(), getResult.sequence()));
              }
            });
  }

  private void settle(Random random) {
    int home = random.nextInt(broker.shards.count());
    broker.on(
        home,
        () -> {
          for (int count = random.nextInt(4); count >= 0 && !held.isEmpty(); count--) {
            Held next = held.remove(random.nextInt(held.size()));
            Settlement settlement =
                switch (random.nextInt(4)) {
                  case 0 -> Settlement.REJECT;
                  case 1 -> Settlement.REQUEUE;
                  default -> Settlement.ACKNOWLEDGE;
                };
            settlement.settle(
                broker.commands(home), next.queue, next.consumer, next.sequence, next.sequence);
          }
        });
  }

  private void restart(MemoryHost host, Random random) {
    held.clear();
    taps.clear();
    asked.clear();
    MemoryMetadataLog metadata = broker.metadata.afterCrash(random);
    faulty.failIf(() -> false);
    anyFailed = false;
    int partitions = 1 + random.nextInt(3);
    ManualLoops loops = ManualLoops.of(1 + random.nextInt(partitions), broker.loops.clock());
    broker =
        broker
            .on(host, metadata, loops, partitions, faulty::around)
            .expectFaults(FaultyStores.Injected.class);
    broker
        .vhost
        .routing()
        .forEachQueue((name, queue) -> definitions.put(queue.id(), queue.definition()));
    promises.check(broker.vhost.routing());
    adopted.check(broker.vhost.routing());
    pauses.restarted(broker.vhost);
  }

  void finish(Random random) {
    mend();
    broker.advance(RETRY_MILLIS);
    if (!anyFailed) {
      checkAtRest();
    }
    storeObserver.assertAtRest(anyFailed);
    broker.loops.advance(random.nextBoolean() ? 4000 : 0);
    restart(broker.host.afterPowerLoss(random, random.nextDouble()), random);
    setPolicy("fair", "fair-by", null); // It is looked at in the order of the messages.
    broker.trimMemory();
    storeObserver.assertAtRest(false);
    broker.advance(4000);
    storeObserver.assertAtRest(false);
    checkPaused();
    QUEUES.forEach(pauses::resume);
    broker.trimMemory();
    for (String name : QUEUES) {
      if (broker.queue(name) != null) {
        drain(name);
      }
    }
    storeObserver.assertAtRest(false);
  }

  /** All that was asked is answered, and what is paused stands still but for its expiry. */
  private void checkAtRest() {
    assertThat(asked).as("asked, and not answered").allMatch(CompletableFuture::isDone);
    checkPaused();
  }

  private void checkPaused() {
    for (String name : QUEUES) {
      Queue queue = broker.queue(name);
      if (queue != null && pauses.holdDeliveries(name)) {
        assertThat(broker.fetch(name)).as("got of %s, which is paused", name).isNull();
        if (pauses.holdTime(name)) {
          long before = broker.ready(name);
          broker.advance(RETRY_MILLIS);
          assertThat(broker.queue(name) != queue || broker.ready(name) >= before)
              .as("time stands still in %s", name)
              .isTrue();
        } else if (queue.definition().arguments().containsKey("x-message-ttl")) {
          assertThat(broker.ready(name)).as("time goes on in %s", name).isZero();
        }
      }
    }
  }

  private void drain(String name) {
    long id = broker.queue(name).id();
    TreeMap<Long, Integer> drained = new TreeMap<>();
    long last = -1;
    Map<Long, Integer> expected = storeObserver.contents(id);
    for (GetResult next = broker.fetch(name); next != null; next = broker.fetch(name)) {
      assertThat(next.sequence()).as("order of %s", name).isGreaterThan(last);
      last = next.sequence();
      int number = TestBroker.numberOf(next.message());
      storeObserver.delivered(id, next.sequence(), number, next.redelivered());
      if (expected.containsKey(last)) {
        drained.put(last, number);
      }
    }
    assertThat(drained).as("contents of %s", name).isEqualTo(expected);
  }

  /** A consumer. */
  private final class Tap implements ConsumerTarget {
    final Queue queue;
    final Consumer consumer;
    private final TestBroker at = broker;

    Tap(Queue queue, boolean acknowledges, int prefetch) {
      this.queue = queue;
      this.consumer =
          new Consumer(
              ShortString.of("tap"),
              new ConsumeOptions(acknowledges, false, prefetch, FieldTable.EMPTY),
              this);
    }

    @Override
    public boolean reserve(Consumer asking) {
      return at == broker;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      came(queue, message);
      if (sequence >= 0) {
        storeObserver.delivered(queue.id(), sequence, TestBroker.numberOf(message), redelivered);
        held.add(new Held(queue, to, sequence));
      }
    }

    @Override
    public void cancelled(Consumer gone) {}
  }
}
