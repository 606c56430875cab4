package io.mayflymq.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.config.ReconciliationSettings;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When members are reconciled, by a clock of the test. */
class ReconciliationTest {
  private static final int INTERVAL = 60_000;
  private static final int TRIGGER = 10_000;

  private Set<Integer> candidates = Set.of(0, 1, 2);
  private Object policies = new Object();
  private boolean hasWork;
  private int runs;
  private final Reconciliation reconciliation =
      new Reconciliation(
          new ReconciliationSettings(true, OptionalInt.empty(), INTERVAL, TRIGGER),
          () -> new Reconciliation.Seen(candidates, List.of(policies)),
          this::work);

  private boolean work() {
    runs++;
    return hasWork;
  }

  /** Looks in each second, and returns how often there was work to do. */
  private int run(boolean leads, int fromMillis, int toMillis) {
    runs = 0;
    for (int now = fromMillis; now < toMillis; now += Reconciliation.LOOK_MILLIS) {
      reconciliation.look(leads, now);
    }
    return runs;
  }

  @Test
  void nodeThatBeginsToLeadDoesItSoonAndThenAtIntervals() {
    assertThat(run(false, 0, 200_000)).isZero();
    assertThat(run(true, 200_000, 200_000 + TRIGGER)).isZero();
    assertThat(run(true, 200_000 + TRIGGER, 200_000 + TRIGGER + INTERVAL)).isEqualTo(1);
    assertThat(run(true, 200_000 + TRIGGER + INTERVAL, 200_000 + TRIGGER + 3 * INTERVAL))
        .isEqualTo(2);
  }

  @Test
  void changesAreAnsweredSoonAlsoIfTheyDoNotEnd() {
    run(true, 0, 11_000);
    candidates = Set.of(0, 1, 2, 3);
    assertThat(run(true, 11_000, 21_000)).isZero();
    assertThat(run(true, 21_000, 22_000)).isEqualTo(1);
    int done = 0;
    for (int now = 22_000; now < 52_000; now += 1_000) {
      policies = new Object();
      done += run(true, now, now + 1_000);
    }
    assertThat(done).isEqualTo(2);
  }

  @Test
  void asLongAsThereIsWorkItGoesOnSoon() {
    hasWork = true;
    assertThat(run(true, 0, 41_000)).isEqualTo(4);
    hasWork = false;
    assertThat(run(true, 41_000, 100_000)).isEqualTo(1);
  }
}
