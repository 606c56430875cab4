package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.deadletter.MoveRequest;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.deadletter.RedriveRequest;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Destination;
import io.mayflymq.core.vhost.deadletter.RedriveRequest.Filter;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * A redrive beside whatever else can happen to its queue: deletion with and without dead-lettering,
 * expiry, purge, consumers, a lease that ends. A message is in one place at any time; it goes only
 * where something removed it.
 */
class RedriveModelTest {
  private static final int MESSAGES = 30;

  /** What happens beside the redrive. */
  enum Action {
    STEP,
    DISK,
    TIME,
    REDRIVE,
    MOVE,
    STOP,
    FETCH,
    PUT_BACK,
    PURGE,
    PUBLISH,
    DELETE
  }

  record Command(Action action, long seed) {}

  private static final Redrive.Conditions ALWAYS = new Unconditional();

  private TestBroker broker;
  private final List<Redrive> redrives = new ArrayList<>();
  private final List<Long> fetched = new ArrayList<>();
  private int numbers;
  private boolean purged;
  private boolean deleting;

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void redriveKeepsEveryMessageInOnePlaceAndEnds(
      @ForAll("commands") List<Command> commands, @ForAll long seed) {
    Random setup = new Random(seed);
    start(setup);
    commands.forEach(this::run);
    broker.advance(5000);
    assertThat(redrives).allSatisfy(redrive -> assertThat(redrive.done()).isDone());
    Queue source = broker.queue("source");
    if (source != null) {
      assertThat(QueueSnapshot.of(source).totals().unacked())
          .as("held back")
          .isEqualTo(fetched.size());
    }
    List<Integer> all = new ArrayList<>();
    for (String name : List.of("source", "near", "target", "refusing", "graves")) {
      if (broker.queue(name) != null) {
        all.addAll(broker.drain(name));
      }
    }
    assertThat(all).doesNotHaveDuplicates();
    boolean mayLose = purged || (source == null && !deadLettersOnDeletion) || !fetched.isEmpty();
    if (!mayLose) {
      TreeSet<Integer> lost = new TreeSet<>();
      for (int number = 0; number < numbers; number++) {
        lost.add(number);
      }
      all.forEach(lost::remove);
      assertThat(lost).as("lost").isEmpty();
    }
  }

  private boolean deadLettersOnDeletion;

  /** A queue of dead messages on one shard, whose redrive goes to a queue of another. */
  private void start(Random random) {
    broker = TestBroker.of(2);
    redrives.clear();
    fetched.clear();
    numbers = 0;
    purged = false;
    deleting = false;
    deadLettersOnDeletion = random.nextInt(4) > 0;
    broker.declareOn(random.nextInt(2), "graves");
    broker.declareOn(0, "near");
    broker.declareOn(1, "target");
    broker.declareOn(
        1,
        "refusing",
        FieldTable.builder().put("x-max-length", 3).put("x-overflow", "reject-publish").build());
    FieldTable.Builder arguments = TestBroker.deadLetteringTo("graves").toBuilder();
    arguments.put(
        "x-dead-letter-on",
        deadLettersOnDeletion
            ? "expired,rejected,maxlen,queue_expired,queue_deleted"
            : "expired,rejected");
    if (random.nextInt(3) == 0) {
      arguments.put("x-message-ttl", 1 + random.nextInt(200));
    }
    if (deadLettersOnDeletion && random.nextInt(3) == 0) {
      arguments.put("x-expires", 1 + random.nextInt(300));
    }
    broker.declareOn(0, "source", arguments.build());
    publish(MESSAGES);
  }

  private void publish(int count) {
    Queue source = broker.queue("source");
    // What is published to a queue that has gone is gone with it.
    boolean there = source != null && !source.onShard().isLeaving() && !deleting;
    for (int i = 0; i < count && there; i++) {
      broker.publishing(source, TestBroker.message(numbers++), (sequence, accepted) -> {});
    }
  }

  private void run(Command command) {
    Random random = new Random(command.seed);
    Queue source = broker.queue("source");
    switch (command.action) {
      case STEP -> {
        for (int steps = random.nextInt(8); steps >= 0; steps--) {
          broker.loops.get(random.nextInt(2)).step();
        }
      }
      case DISK -> broker.host.flush(random.nextInt(broker.host.flusherCount()));
      case TIME -> broker.loops.advance(random.nextInt(100));
      case REDRIVE -> {
        if (source != null) {
          broker
              .vhost
              .redrives()
              .start(source, request(random), ALWAYS)
              .thenAccept(redrives::add)
              .exceptionally(refused -> null);
        }
      }
      case MOVE -> {
        if (source != null) {
          broker
              .vhost
              .redrives()
              .move(source, moved(random), ALWAYS)
              .thenAccept(redrives::add)
              .exceptionally(refused -> null);
        }
      }
      case STOP -> redrives.forEach(Redrive::stop);
      case FETCH -> {
        if (source != null) {
          source
              .requests()
              .fetch(true)
              .thenAccept(
                  message -> {
                    if (message != null) {
                      fetched.add(message.sequence());
                    }
                  })
              .exceptionally(refused -> null);
        }
      }
      case PUT_BACK -> {
        if (source != null && !fetched.isEmpty()) {
          long sequence = fetched.remove(random.nextInt(fetched.size()));
          broker.settling(Settlement.REQUEUE, source, TestBroker.getter(), sequence, sequence);
        }
      }
      case PURGE -> {
        if (source != null && random.nextInt(3) == 0) {
          purged = true;
          source.requests().purge();
        }
      }
      case PUBLISH -> publish(random.nextInt(4));
      case DELETE -> {
        if (random.nextInt(2) == 0) {
          deleting = true;
          broker.vhost.deleteQueue("source", broker, false, false);
        }
      }
    }
  }

  private static RedriveRequest request(Random random) {
    return new RedriveRequest(
        Destination.QUEUE,
        random.nextInt(3) == 0 ? "refusing" : "target",
        Filter.ALL,
        random.nextInt(3) == 0 ? 10 : Long.MAX_VALUE,
        random.nextInt(3) == 0 ? 50 : 0,
        false,
        false);
  }

  /** To a queue of the same shard, to one of another shard, or to one that may refuse. */
  private static MoveRequest moved(Random random) {
    boolean one = random.nextBoolean();
    MessageChoice choice =
        new MessageChoice(
            one ? random.nextInt(MESSAGES) : MessageChoice.ANY,
            random.nextInt(3) == 0 ? random.nextInt(100) : 0,
            null,
            Map.of(),
            1 + random.nextInt(5));
    String target = List.of("near", "target", "refusing").get(random.nextInt(3));
    return random.nextBoolean()
        ? new MoveRequest(choice, target, null, null, "user", false)
        : new MoveRequest(choice, null, "", target, "user", false);
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<Action> actions = Arbitraries.of(Arrays.asList(Action.values()));
    return Combinators.combine(actions, Arbitraries.longs())
        .as(Command::new)
        .list()
        .ofMinSize(5)
        .ofMaxSize(60);
  }
}
