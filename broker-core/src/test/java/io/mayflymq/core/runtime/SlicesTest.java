package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SlicesTest {
  private final ManualLoops loops = ManualLoops.of(1);
  private final ManualLoop loop = loops.get(0);
  private final RecordedFaults faults = new RecordedFaults();
  private final Shard shard = new Shard(0, loop, loops.clock(), faults);
  private final List<Integer> seen = new ArrayList<>();

  private CompletableFuture<Void> begin(List<Integer> all) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    loop.call(
        () ->
            shard.run(
                () ->
                    Slices.of(
                            shard,
                            all,
                            each -> {
                              seen.add(each);
                              // Only the even ones take time: two of them are more than a slice.
                              loops.clock().advance(each % 2 == 0 ? 1 : 0);
                            })
                        .thenAccept(result::complete)));
    return result;
  }

  @Test
  void othersHaveTheirTurnAfterASliceOfTime() {
    CompletableFuture<Void> done = begin(List.of(1, 2, 3, 4, 5));
    assertThat(seen).containsExactly(1, 2);
    loop.execute(() -> seen.add(100));
    assertThat(loop.step()).isTrue();
    assertThat(seen).containsExactly(1, 2, 3, 4);
    assertThat(loop.step()).isTrue();
    assertThat(done).isNotDone();
    assertThat(loop.step()).isTrue();
    assertThat(seen).containsExactly(1, 2, 3, 4, 100, 5);
    assertThat(done).isCompleted();
    assertThat(loop.step()).isFalse();
  }

  @Test
  void nothingIsDoneAtOnce() {
    assertThat(begin(List.of())).isCompleted();
  }

  @Test
  void oneThatFailsDoesNotKeepTheOthersFromTheirTurn() {
    loop.call(
        () ->
            Slices.of(
                shard,
                List.of(1, 2),
                each -> {
                  seen.add(each);
                  throw new IllegalStateException("work");
                }));
    assertThat(seen).containsExactly(1, 2);
    assertThat(faults.take()).hasSize(2);
  }
}
