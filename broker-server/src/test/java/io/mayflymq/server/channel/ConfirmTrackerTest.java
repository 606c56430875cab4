package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.Method;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The confirms of a publisher, counted as a client does. */
class ConfirmTrackerTest {
  private final EmbeddedChannel socket = new EmbeddedChannel();
  private final Shard shard =
      new Shard(0, new NoLoop(), () -> Instant.ofEpochMilli(0), Faults.logged());
  private final Counters counters = new Counters();
  private final Publisher.Counted exchange = new Publisher.Counted(new Counters(), new Counters());
  private final InjectedFaults faults = new InjectedFaults();
  private final ConfirmTracker tracker =
      new ConfirmTracker(
          1, new ConnectionOutput(socket, shard, new HeldClients()), shard, counters, faults);

  @Test
  void publishesAreCountedAtTheEndOfABurstAndOfTheChannel() {
    shard.run(
        () -> {
          tracker.published(1, exchange);
          tracker.published(1, exchange);
          tracker.settled(1, true);
        });
    assertThat(counters.get(Counter.PUBLISHED_CONFIRM)).isEqualTo(2);
    assertThat(counters.get(Counter.CONFIRMED)).isEqualTo(1);
    assertThat(exchange.exchange().get(Counter.CONFIRMED)).isEqualTo(1);
    assertThat(exchange.channel().get(Counter.CONFIRMED)).isEqualTo(1);
    shard.run(() -> tracker.published(1, exchange));
    tracker.close();
    assertThat(counters.get(Counter.PUBLISHED_CONFIRM)).isEqualTo(3);
  }

  @Test
  void publishesOfABurstAreConfirmedWithOneMultipleAck() {
    shard.run(
        () -> {
          for (int i = 1; i <= 100; i++) {
            tracker.published(1, exchange);
          }
          for (int i = 1; i <= 100; i++) {
            tracker.settled(i, true);
          }
        });

    assertThat(sent()).containsExactly(new BasicMethod.Ack(100, true));
  }

  @Test
  void nackOfARefusedPublishSplitsTheMultipleAcks() {
    shard.run(
        () -> {
          for (int i = 1; i <= 5; i++) {
            tracker.published(1, exchange);
          }
          for (int i = 1; i <= 5; i++) {
            tracker.settled(i, i != 3);
          }
        });

    assertThat(sent())
        .containsExactly(
            new BasicMethod.Ack(2, true),
            new BasicMethod.Nack(3, false, false),
            new BasicMethod.Ack(5, true));
  }

  @Test
  void confirmDoesNotWaitForASlowerQueue() {
    shard.run(
        () -> {
          tracker.published(2, exchange);
          tracker.published(1, exchange);
          tracker.settled(1, true);
          tracker.settled(2, true);
        });
    assertThat(sent()).containsExactly(new BasicMethod.Ack(2, false));

    shard.run(() -> tracker.settled(1, true));
    assertThat(sent()).containsExactly(new BasicMethod.Ack(1, false));
  }

  @Test
  void noLaterConfirmIsForAPublishWhoseConfirmWasDropped() {
    shard.run(() -> tracker.published(2, exchange));
    faults.setConfirms(InjectedFaults.Confirms.DROPPED);
    shard.run(() -> tracker.published(0, exchange));
    assertThat(sent()).isEmpty();
    faults.setConfirms(InjectedFaults.Confirms.SENT);
    shard.run(
        () -> {
          tracker.settled(1, true);
          tracker.settled(1, true);
          tracker.published(0, exchange);
          tracker.published(0, exchange);
        });

    assertThat(sent())
        .containsExactly(
            new BasicMethod.Ack(1, false),
            new BasicMethod.Ack(3, false),
            new BasicMethod.Ack(4, false));
  }

  @Property(tries = 200)
  void everyPublishIsConfirmedOnceWithItsResult(@ForAll long seed) {
    // jqwik makes one instance for all tries.
    new ConfirmTrackerTest().compare(seed);
  }

  private void compare(long seed) {
    Random random = new Random(seed);
    TreeMap<Long, Boolean> expected = new TreeMap<>();
    TreeMap<Long, Boolean> heard = new TreeMap<>();
    List<Long> reports = new ArrayList<>();
    for (int burst = 0; burst < 60; burst++) {
      shard.run(() -> burst(random, expected, reports));
      account(sent(), reports, expected.size(), heard);
    }
    shard.run(
        () -> {
          while (!reports.isEmpty()) {
            report(random, expected, reports);
          }
        });
    account(sent(), reports, expected.size(), heard);

    assertThat(heard).isEqualTo(expected);
    socket.finishAndReleaseAll();
  }

  private void burst(Random random, Map<Long, Boolean> expected, List<Long> reports) {
    for (int i = random.nextInt(20); i > 0; i--) {
      if (random.nextBoolean()) {
        int queues = random.nextInt(4);
        long sequence = tracker.published(queues, exchange);
        expected.put(sequence, true);
        for (int q = 0; q < queues; q++) {
          reports.add(sequence);
        }
      } else if (!reports.isEmpty()) {
        report(random, expected, reports);
      }
    }
  }

  private void report(Random random, Map<Long, Boolean> expected, List<Long> reports) {
    long sequence = reports.remove(random.nextInt(reports.size()));
    boolean accepted = random.nextInt(5) > 0;
    expected.merge(sequence, accepted, Boolean::logicalAnd);
    tracker.settled(sequence, accepted);
  }

  @Test
  void closedChannelGetsNoConfirms() {
    shard.run(() -> tracker.published(1, exchange));
    shard.run(
        () -> {
          tracker.settled(1, true);
          tracker.close();
        });

    assertThat(sent()).isEmpty();
  }

  @Test
  void publishRefusedByOneQueueIsNackedWhenAllQueuesHaveReported() {
    shard.run(
        () -> {
          tracker.published(3, exchange);
          tracker.settled(1, false);
          tracker.settled(1, true);
        });
    assertThat(sent()).isEmpty();

    shard.run(() -> tracker.settled(1, true));
    assertThat(sent()).containsExactly(new BasicMethod.Nack(1, false, false));
  }

  @Test
  void publishToNoQueueIsAckedImmediately() {
    shard.run(() -> tracker.published(0, exchange));

    assertThat(sent()).containsExactly(new BasicMethod.Ack(1, false));
  }

  /** A client applies a multiple ack to all publishes without an earlier confirm. */
  private static void account(
      List<Method> methods, List<Long> unfinished, long published, Map<Long, Boolean> heard) {
    for (Method method : methods) {
      if (method instanceof BasicMethod.Ack ack) {
        for (long s = ack.multiple() ? 1 : ack.deliveryTag(); s <= ack.deliveryTag(); s++) {
          heard.putIfAbsent(s, true);
        }
        assertThat(ack.deliveryTag()).isLessThanOrEqualTo(published);
      } else {
        BasicMethod.Nack nack = (BasicMethod.Nack) method;
        assertThat(heard.put(nack.deliveryTag(), false)).isNull();
      }
    }
    assertThat(heard).doesNotContainKeys(unfinished.toArray(Long[]::new));
    // Each finished publish is reported in the burst that finished it.
    assertThat(heard.size() + (int) unfinished.stream().distinct().count()).isEqualTo(published);
  }

  private List<Method> sent() {
    List<Method> methods = new ArrayList<>();
    for (ByteBuf out = socket.readOutbound(); out != null; out = socket.readOutbound()) {
      while (out.isReadable()) {
        int size = out.getInt(out.readerIndex() + 3);
        methods.add(Method.decode(out, out.readerIndex() + 7, size));
        out.skipBytes(size + 8);
      }
      out.release();
    }
    return methods;
  }

  /** Nothing here leaves the burst. */
  private static final class NoLoop implements EventLoop {
    @Override
    public boolean inEventLoop() {
      return true;
    }

    @Override
    public void execute(Runnable task) {
      throw new AssertionError("nothing is handed over");
    }

    @Override
    public void schedule(Runnable task, long delayMillis) {
      throw new AssertionError("nothing is scheduled");
    }
  }

  @Test
  void confirmsAreCountedByTheExchangeOfTheirPublish() {
    Publisher.Counted other = new Publisher.Counted(new Counters(), new Counters());
    shard.run(
        () -> {
          for (int i = 1; i <= 100; i++) {
            tracker.published(1, i % 4 == 0 ? other : exchange);
          }
          for (int i = 100; i > 0; i--) {
            tracker.settled(i, i != 50);
          }
        });
    assertThat(other.exchange().get(Counter.CONFIRMED)).isEqualTo(25);
    assertThat(exchange.exchange().get(Counter.CONFIRMED)).isEqualTo(74);
    assertThat(counters.get(Counter.CONFIRMED)).isEqualTo(99);
  }
}
