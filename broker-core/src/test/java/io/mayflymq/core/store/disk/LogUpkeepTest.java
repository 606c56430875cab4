package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BurstEnd;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a log is looked after, on a loop and a clock moved by hand. */
class LogUpkeepTest {
  private static final long TICK_MILLIS = 200;

  private final ManualLoops loops = ManualLoops.of(1);
  private final ManualLoop loop = loops.get(0);
  private final Shard shard = new Shard(0, loop, loops.clock(), new RecordedFaults());
  private final List<String> done = new ArrayList<>();
  private final LogUpkeep upkeep =
      new LogUpkeep(shard, new BurstEnd(shard, () -> {}), new RecordedWork());

  private final class RecordedWork implements LogUpkeep.Work {
    @Override
    public boolean compact(int budget) {
      done.add("compact");
      return false;
    }

    @Override
    public void maintain() {
      done.add("look around");
    }

    @Override
    public void note() {
      done.add("note");
    }

    @Override
    public void trimMemory() {
      done.add("trim memory");
    }
  }

  private void tick() {
    loops.clock().advance(TICK_MILLIS);
    loops.settle();
  }

  @Test
  void looksAroundAtEachTickAndNotesAtEachFifth() {
    upkeep.start();
    for (int i = 0; i < 4; i++) {
      tick();
    }
    assertThat(done).containsOnly("look around", "compact").hasSize(8);
    tick();
    assertThat(done).endsWith("look around", "compact", "note");
  }

  @Test
  void nothingIsDoneAfterTheEnd() {
    upkeep.start();
    upkeep.end();
    tick();
    upkeep.compact();
    assertThat(done).isEmpty();
    assertThat(loop.scheduled()).isZero();
  }

  /** The log is closed by a task of the same burst, which runs before. */
  @Test
  void nothingIsDoneInABurstThatHasEndedIt() {
    upkeep.start();
    loop.execute(() -> {});
    loops.clock().advance(TICK_MILLIS);
    loop.step(); // The tick is the next task now.
    shard.execute(upkeep::end);
    loop.step();
    assertThat(done).isEmpty();
  }
}
