package io.mayflymq.server.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shards;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class ShardWatchTest {
  /** A loop that runs its tasks when the test calls it. */
  private static final class HandLoop implements EventLoop {
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    @Override
    public boolean inEventLoop() {
      return false;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public void schedule(Runnable task, long delayMillis) {}

    void run() {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    }
  }

  private final List<HandLoop> loops = List.of(new HandLoop(), new HandLoop());
  private final Alarms alarms = new Alarms();
  private long nanos;
  private final ShardWatch watch =
      new ShardWatch(new Shards(loops, () -> Instant.EPOCH, Faults.logged()), alarms, () -> nanos);

  @Test
  void shardThatDoesNotRespondRaisesAnAlarmUntilItDoes() {
    watch.look();
    loops.get(0).run();
    nanos += ShardWatch.PATIENCE_NANOS - 1;
    watch.look();
    assertThat(alarms.raised()).isEmpty();
    loops.get(0).run();
    nanos += 1;
    watch.look();
    assertThat(alarms.failures()).containsExactly("shard 1 does not answer");
    assertThat(alarms.isRaised()).as("blocks publishers").isFalse();
    loops.get(1).run();
    watch.look();
    assertThat(alarms.raised()).isEmpty();
  }
}
