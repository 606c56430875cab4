package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.simulation.Command.Action;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A replicated stream under random commands of clients and faults. All readers, at any time and on
 * any node, find the same message at an offset; in the end all that was confirmed is there, once.
 *
 * <p>A program repeats exactly by its number. The system properties {@code streams.first} and
 * {@code streams.programs} choose which run, and how many.
 */
class ReplicatedStreamsTest {
  private static final int FIRST = Integer.getInteger("streams.first", 0);
  private static final int PROGRAMS = Integer.getInteger("streams.programs", 50);

  private static final long ROOMY = 1L << 30;
  private static final String STREAM = "stream";

  /** What these do is for queues, or for what only one node keeps. */
  private static final Set<Action> LEFT_OUT =
      EnumSet.of(
          Action.DECLARE,
          Action.BIND,
          Action.SCHEDULE,
          Action.CANCEL,
          Action.GET,
          Action.SETTLE,
          Action.ROOM,
          Action.CLOSE,
          Action.PURGE,
          Action.DELETE,
          Action.POLICY,
          Action.CLEAR_POLICY,
          Action.FAILING_METADATA,
          Action.GIVE_UP);

  private static final List<Action> WEIGHTED = Action.weightedWithout(LEFT_OUT);

  private static final class Program {
    private final Random random;
    private final SimulatedCluster cluster;
    private final Ledger ledger;
    private final FaultInjector faults;

    /** What readers have found, by offset. */
    private final List<Integer> numbers = new ArrayList<>();

    private final List<StreamReader> readers = new ArrayList<>();

    Program(long seed) {
      random = new Random(seed);
      List<Integer> shards = random.ints(3, 1, 3).boxed().toList();
      cluster = new SimulatedCluster(shards, ROOMY, new Random(seed));
      ledger = new Ledger(cluster);
      faults = new FaultInjector(cluster, ledger);
      cluster.settle(random);
      FieldTable.Builder arguments = FieldTable.builder().put("x-queue-type", "stream");
      if (random.nextBoolean()) {
        arguments.put("x-stream-max-segment-size-bytes", 1_000);
      }
      client(cluster.anyNode(random).process()).declare(STREAM, true, arguments.build());
      cluster.settle(random);
    }

    private SimulatedClient client(NodeProcess process) {
      return new SimulatedClient(process, random.nextInt(process.shards().count()), ledger);
    }

    /** Returns a number that depends on all that has happened. */
    long run() {
      for (int left = 10 + random.nextInt(150); left > 0; left--) {
        Action action = WEIGHTED.get(random.nextInt(WEIGHTED.size()));
        NodeProcess process = cluster.anyNode(random).process();
        if (process != null && action == Action.PUBLISH) {
          publish(client(process));
        } else if (process != null && action == Action.CONSUME) {
          read(client(process), random.nextInt(numbers.size() + 1));
        } else {
          faults.carryOut(action, random);
        }
        faults.check();
      }
      finish();
      return cluster.trace().value();
    }

    private void publish(SimulatedClient client) {
      for (int count = random.nextInt(6); count >= 0; count--) {
        client.publish(
            "",
            STREAM,
            new SimulatedClient.Content(
                random.nextBoolean(),
                Message.NO_TTL,
                random.nextInt(random.nextInt(10) == 0 ? 3_000 : 200),
                random.nextInt(4) > 0));
      }
    }

    private void read(SimulatedClient client, long first) {
      Queue stream = client.process().queue(STREAM);
      if (stream != null) {
        StreamReader reader = new StreamReader(client, stream, numbers, first);
        readers.add(reader);
        reader.subscribe();
      }
    }

    private void finish() {
      faults.mend(random);
      publish(client(cluster.anyNode(random).process()));
      cluster.advance(FaultInjector.HEALING_MILLIS, random);
      cluster.processes().forEach(process -> read(client(process), 0));
      cluster.advance(FaultInjector.HEALING_MILLIS, random);
      faults.check();
      for (StreamReader reader : readers) {
        assertThat(
                reader.end() == numbers.size() || reader.isRefused() || !isRunning(reader.client()))
            .as("%s of %d", reader, numbers.size())
            .isTrue();
      }
      for (int number = 0; number < ledger.published(); number++) {
        Publication publication = ledger.publication(number);
        boolean isKept = publication.isConfirmed() && !publication.copies.isEmpty();
        assertThat(!isKept || numbers.contains(number))
            .as("message %d, which was confirmed, is there", number)
            .isTrue();
        assertThat(publication.isAwaited() && isRunning(publication.by))
            .as("the publisher of message %d waits", number)
            .isFalse();
      }
    }

    private static boolean isRunning(SimulatedClient client) {
      return client.process().node().process() == client.process();
    }
  }

  @Test
  void readersFindWhatWasConfirmedInTheSameOrder() {
    List<String> failures = new ArrayList<>();
    for (int seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
      try {
        new Program(seed).run();
      } catch (AssertionError | RuntimeException e) {
        failures.add("program %d: %s".formatted(seed, e));
      }
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void programsRepeatExactly() {
    for (long seed = 0; seed < 3; seed++) {
      assertThat(new Program(seed).run())
          .as("trace of program %d", seed)
          .isEqualTo(new Program(seed).run());
    }
  }
}
