package io.mayflymq.core.store.disk;

import static net.jqwik.api.Arbitraries.frequencyOf;
import static net.jqwik.api.Arbitraries.integers;
import static net.jqwik.api.Arbitraries.just;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * With random puts and releases, all stored contents can be read, and little more memory is used.
 */
class ContentArenaPropertyTest {
  private static final int SLAB = 1024;
  private static final int TOLERATED = 9; // In slabs: wasted ones, spare ones and the current one.

  sealed interface Step {}

  /** The kind tells what the properties begin with, and for how long. */
  record Put(int bodyBytes, int kind, int queues) implements Step {}

  record Release(int pick, int count) implements Step {}

  record Compact(int budget) implements Step {}

  record Trim() implements Step {}

  @Property(tries = 500)
  void everyHeldContentCanBeRead(@ForAll("steps") List<Step> steps) {
    Holders holders = new Holders(SLAB);
    for (Step step : steps) {
      if (step instanceof Put put) {
        holders.put(
            LongStream.range(0, put.queues()).boxed().toList(),
            message(put.bodyBytes(), put.kind()));
      } else if (step instanceof Release release) {
        for (int i = 0; i < release.count() && holders.count() > 0; i++) {
          holders.release(release.pick() % holders.count());
        }
      } else if (step instanceof Compact compact) {
        holders.memory.compact(compact.budget());
      } else {
        holders.memory.trim();
      }
      holders.check();
    }
    while (holders.memory.compact(SLAB)) {
      holders.check();
    }
    holders.check();
    long live = holders.memory.liveBytes();
    assertThat(holders.memory.allocatedBytes() - live).isLessThanOrEqualTo(live + TOLERATED * SLAB);
    while (holders.count() > 0) {
      holders.releaseOldest();
    }
    assertThat(holders.memory.liveBytes()).isZero();
    assertThat(holders.memory.allocatedBytes()).isLessThanOrEqualTo(TOLERATED * SLAB);
    assertThat(holders.blocks.taken()).isLessThanOrEqualTo(TOLERATED);
    holders.memory.close();
    assertThat(holders.blocks.taken()).isZero();
  }

  private static Message message(int bodyBytes, int kind) {
    int propertiesLength = kind % 3 == 0 ? 2 : Math.min(320, 62 + kind / 2);
    byte[] content = new byte[propertiesLength + bodyBytes];
    Arrays.fill(content, (byte) (kind % 7));
    content[content.length - 1] = (byte) bodyBytes;
    if (kind % 2 == 0) {
      content[propertiesLength - 1] = (byte) kind;
    }
    return new Message(
        ShortString.EMPTY,
        ShortString.of("key"),
        content,
        propertiesLength,
        Message.NO_TTL,
        0,
        false,
        List.of());
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Step> put =
        Combinators.combine(
                integers().between(0, 15),
                frequencyOf(
                    Tuple.of(1, just(0)),
                    Tuple.of(2, integers().between(1, 20)),
                    Tuple.of(1, integers().between(1, 600))),
                frequencyOf(
                    Tuple.of(3, just(1)),
                    Tuple.of(1, integers().between(2, 5)),
                    Tuple.of(1, integers().between(20, 40))))
            .as(Put::new);
    Arbitrary<Step> release =
        Combinators.combine(integers().between(0, 10_000), integers().between(1, 60))
            .as(Release::new);
    return frequencyOf(
            Tuple.of(10, put),
            Tuple.of(4, release),
            Tuple.of(3, integers().between(1, 2 * SLAB).map(Compact::new)),
            Tuple.of(1, just(new Trim())))
        .list()
        .ofMinSize(20)
        .ofMaxSize(150);
  }
}
