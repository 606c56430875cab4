package io.mayflymq.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.Shard;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardQueryTest {
  private final ManualLoops loops = ManualLoops.of(2);
  private final List<Shard> shards =
      List.of(
          new Shard(0, loops.get(0), loops.clock(), Faults.logged()),
          new Shard(1, loops.get(1), loops.clock(), Faults.logged()));

  private Shard home(int thing) {
    return shards.get(thing % 2);
  }

  @Test
  void queryVisitsEachObjectOnItsShard() {
    List<Integer> things = IntStream.range(0, 1000).boxed().toList();
    CompletableFuture<List<Integer>> seen =
        ShardQuery.collect(
            things,
            this::home,
            thing -> {
              assertThat(home(thing).isCurrent()).isTrue();
              return thing * 10;
            });
    loops.settle();
    assertThat(seen.join())
        .containsExactlyInAnyOrderElementsOf(things.stream().map(thing -> thing * 10).toList());
  }

  @Test
  void queryAllowsOtherTasksBetweenSlices() {
    List<Integer> things =
        IntStream.range(0, ShardQuery.SLICE * 3).map(i -> i * 2).boxed().toList();
    int[] looked = new int[1];
    ShardQuery.collect(things, this::home, thing -> looked[0]++);
    int[] lookedBefore = new int[1];
    loops.get(0).execute(() -> lookedBefore[0] = looked[0]);
    loops.settle();
    assertThat(lookedBefore[0]).isBetween(1, ShardQuery.SLICE);
    assertThat(looked[0]).isEqualTo(things.size());
  }

  @Test
  void queryOmitsObjectsThatAreGone() {
    CompletableFuture<List<Integer>> seen =
        ShardQuery.collect(List.of(1, 2, 3), this::home, thing -> thing == 2 ? null : thing);
    loops.settle();
    assertThat(seen.join()).containsExactlyInAnyOrder(1, 3);
  }

  @Test
  void queryOfNoObjectsCompletesImmediately() {
    assertThat(ShardQuery.collect(List.<Integer>of(), this::home, thing -> thing))
        .isCompletedWithValue(List.of());
  }

  @Test
  void queryFailsIfAVisitFails() {
    CompletableFuture<List<Object>> seen =
        ShardQuery.collect(
            List.of(1, 2),
            this::home,
            thing -> {
              throw new IllegalStateException("look");
            });
    loops.settle();
    assertThat(seen).isCompletedExceptionally();
  }

  /** Whatever an object costs, a shard is not held for long. */
  @Test
  void sliceOfObjectsThatTakeLongIsShort() {
    int[] looked = new int[1];
    int[] mostAtOnce = new int[1];
    int[] before = new int[1];
    ShardQuery.collect(
        IntStream.range(0, 100).map(i -> i * 2).boxed().toList(),
        this::home,
        thing -> {
          loops.clock().advance(1);
          return looked[0]++;
        });
    while (loops.get(0).step()) {
      mostAtOnce[0] = Math.max(mostAtOnce[0], looked[0] - before[0]);
      before[0] = looked[0];
    }
    assertThat(looked[0]).isEqualTo(100);
    assertThat(mostAtOnce[0]).isEqualTo(16);
  }
}
