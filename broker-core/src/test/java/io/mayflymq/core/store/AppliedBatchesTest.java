package io.mayflymq.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What is known of batches on the leader, and by a log that has been told of them. */
class AppliedBatchesTest {
  private static final BatchOrigin LINK = new BatchOrigin(1, new UUID(1, 1));
  private static final BatchOrigin NEXT_LINK = new BatchOrigin(1, new UUID(1, 2));
  private static final BatchOrigin OTHER_NODE = new BatchOrigin(2, new UUID(2, 1));
  private static final byte[] PARTLY = {1, 3, 0};

  private int changes;
  private final AppliedBatches batches = new AppliedBatches(() -> changes++);

  /** A record of the log. */
  private record Noted(BatchOrigin origin, long number, long unknownUpTo, String outcome) {
    byte[] bytes() {
      return HexFormat.of().parseHex(outcome);
    }

    @Override
    public String toString() {
      return "%d/%d %d, unknown %d, %d bytes"
          .formatted(
              origin.node(),
              origin.link().getLeastSignificantBits(),
              number,
              unknownUpTo,
              outcome.length() / 2);
    }
  }

  private List<Noted> note() {
    return note(batches);
  }

  private static List<Noted> note(AppliedBatches of) {
    List<Noted> noted = new ArrayList<>();
    of.note(
        (origin, number, unknown, is) ->
            noted.add(new Noted(origin, number, unknown, HexFormat.of().formatHex(is))));
    return noted;
  }

  private static List<Noted> all(AppliedBatches of) {
    List<Noted> noted = new ArrayList<>();
    of.forEach(
        (origin, number, unknown, is) ->
            noted.add(new Noted(origin, number, unknown, HexFormat.of().formatHex(is))));
    return noted;
  }

  @Test
  void successesOfABurstAreOneRecord() {
    LinkBatches link = batches.of(LINK);
    for (int i = 1; i <= 100; i++) {
      assertThat(link.isApplied(i)).isFalse();
      link.applied(i, LinkBatches.SUCCESS);
      assertThat(link.isApplied(i)).isTrue();
      assertThat(link.outcome(i)).isEqualTo(LinkBatches.SUCCESS);
    }
    assertThat(changes).isEqualTo(1);
    assertThat(note()).hasToString("[1/1 100, unknown 0, 0 bytes]");
    assertThat(note()).isEmpty();
    link.applied(101, LinkBatches.SUCCESS);
    batches.of(OTHER_NODE).applied(1, LinkBatches.SUCCESS);
    assertThat(changes).isEqualTo(2);
    assertThat(note()).hasToString("[1/1 101, unknown 0, 0 bytes, 2/1 1, unknown 0, 0 bytes]");
  }

  @Test
  void batchesWithFailuresHaveRecordsOfTheirOwn() {
    LinkBatches link = batches.of(LINK);
    link.applied(1, PARTLY);
    link.applied(2, LinkBatches.SUCCESS);
    link.applied(3, PARTLY);
    assertThat(note()).hasToString("[1/1 1, unknown 0, 3 bytes, 1/1 3, unknown 0, 3 bytes]");
    link.applied(4, LinkBatches.SUCCESS);
    assertThat(note()).hasToString("[1/1 4, unknown 0, 0 bytes]");
    assertThat(all(batches))
        .hasToString(
            "[1/1 1, unknown 0, 3 bytes, 1/1 3, unknown 0, 3 bytes, 1/1 4, unknown 0, 0 bytes]");
    assertThat(link.outcome(1)).isEqualTo(PARTLY);
    assertThat(link.outcome(2)).isEmpty();
  }

  @Test
  void whatIsNotKnownAnyMoreIsNoSuccess() {
    LinkBatches link = batches.of(LINK);
    for (int i = 1; i <= 300; i++) {
      link.applied(2L * i - 1, PARTLY);
      link.applied(2L * i, LinkBatches.SUCCESS);
    }
    assertThat(link.outcome(87)).isNull();
    assertThat(link.outcome(86)).as("a success, perhaps").isNull();
    assertThat(link.outcome(88)).isEmpty();
    assertThat(link.outcome(89)).isEqualTo(PARTLY);
    link.applied(601, new byte[60_000]);
    assertThat(link.outcome(89)).isNull();
    assertThat(link.outcome(299)).isEqualTo(PARTLY);
    link.applied(602, new byte[5_000]);
    assertThat(link.outcome(599)).isEqualTo(PARTLY);
    assertThat(link.outcome(299)).isEqualTo(PARTLY);
    link.applied(603, new byte[5_600]);
    assertThat(link.outcome(601)).as("too many bytes").isNull();
    assertThat(link.outcome(602)).hasSize(5_000);
    link.applied(604, new byte[1 << 20]);
    assertThat(link.outcome(604)).isNull();
    link.applied(605, LinkBatches.SUCCESS);
    assertThat(link.outcome(605)).isEmpty();
    assertThat(note()).hasToString("[1/1 605, unknown 604, 0 bytes]");
  }

  @Test
  void nextLinkOfANodeReplacesThePresentOne() {
    LinkBatches link = batches.of(LINK);
    link.applied(1, PARTLY);
    batches.of(OTHER_NODE).applied(5, LinkBatches.SUCCESS);
    assertThat(batches.of(LINK)).isSameAs(link);
    LinkBatches next = batches.of(NEXT_LINK);
    assertThat(next.isApplied(1)).isFalse();
    assertThat(link.hasEnded()).isTrue();
    assertThat(note()).hasToString("[2/1 5, unknown 0, 0 bytes]");
    assertThatThrownBy(() -> link.applied(2, LinkBatches.SUCCESS))
        .isInstanceOf(IllegalStateException.class);
    assertThat(batches.of(LINK).hasEnded()).isTrue();
    assertThat(batches.of(NEXT_LINK)).isSameAs(next);
    next.applied(1, LinkBatches.SUCCESS);
    assertThat(all(batches)).hasToString("[1/2 1, unknown 0, 0 bytes, 2/1 5, unknown 0, 0 bytes]");
  }

  @Test
  void batchIsNotAppliedTwice() {
    LinkBatches link = batches.of(LINK);
    link.applied(7, LinkBatches.SUCCESS);
    assertThatThrownBy(() -> link.applied(7, LinkBatches.SUCCESS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("batch 7 of")
        .hasMessageContaining("behind 7");
  }

  /** Whatever a segment began with, and which records follow: a recovery knows the same. */
  @Property(tries = 50)
  void recoveryKnowsTheSame(@ForAll long seed) {
    Random random = new Random(seed);
    AppliedBatches batches = new AppliedBatches(() -> {});
    List<Noted> log = new ArrayList<>();
    Map<Long, byte[]> model = new TreeMap<>();
    long number = 0;
    for (int burst = 0; burst < 60; burst++) {
      if (random.nextInt(6) == 0) {
        int kept = random.nextBoolean() ? log.size() : 0;
        log.subList(0, log.size() - kept).clear();
        log.addAll(all(batches));
      }
      for (int i = random.nextInt(20); i > 0; i--) {
        boolean partly = random.nextInt(3) > 0;
        number += 1 + random.nextInt(3) / 2;
        byte[] outcome = partly ? new byte[1 + random.nextInt(600)] : LinkBatches.SUCCESS;
        random.nextBytes(outcome);
        batches.of(LINK).applied(number, outcome);
        model.put(number, outcome);
      }
      log.addAll(note(batches));
      if (burst % 10 > 0) {
        continue;
      }
      AppliedBatches recovered = new AppliedBatches(() -> {});
      log.forEach(n -> recovered.recovered(n.origin, n.number, n.unknownUpTo, n.bytes()));
      assertThat(all(recovered)).isEqualTo(all(batches));
      assertSame(recovered, batches, model, number);
    }
  }

  private static void assertSame(
      AppliedBatches recovered, AppliedBatches batches, Map<Long, byte[]> model, long last) {
    LinkBatches link = recovered.of(LINK);
    assertThat(link.isApplied(last + 1)).isFalse();
    int[] unknown = {0};
    model.forEach(
        (number, outcome) -> {
          assertThat(link.isApplied(number)).isTrue();
          byte[] known = link.outcome(number);
          assertThat(known).isEqualTo(batches.of(LINK).outcome(number));
          if (known == null) {
            unknown[0]++;
          } else {
            assertThat(known).isEqualTo(outcome);
          }
        });
    assertThat(unknown[0]).isLessThanOrEqualTo(Math.max(0, model.size() - 100));
  }
}
