package io.mayflymq.cluster.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.RecordedFaults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long the consumers of a lost node are waited for. */
class AbsencesTest {
  private final RecordedFaults faults = new RecordedFaults();
  private final ManualLoops loops = ManualLoops.of(1);
  private final Shard shard = new Shards(loops.all(), loops.clock(), faults).get(0);
  private final Absences absences = new Absences();
  private final List<String> ended = new ArrayList<>();

  @AfterEach
  void nothingWasContained() {
    faults.assertNone();
  }

  private void begin(long millis, String what) {
    absences.begin(shard, millis, () -> ended.add(what));
  }

  @Test
  void eachEndsAtItsTime() {
    begin(1_000, "short");
    begin(2_000, "long");
    loops.advance(999);
    assertThat(ended).isEmpty();
    loops.advance(1);
    assertThat(ended).containsExactly("short");
    loops.advance(5_000);
    assertThat(ended).containsExactly("short", "long");
  }

  @Test
  void allEndOnceWhenTheNodeIsBack() {
    absences.linkUp();
    absences.linkLost();
    begin(1_000, "a");
    begin(2_000, "b");
    absences.linkUp();
    assertThat(ended).containsExactly("a", "b");
    loops.advance(5_000);
    assertThat(ended).hasSize(2);
  }

  @Test
  void aNodeWithAnotherLinkIsNotWaitedFor() {
    absences.linkUp();
    absences.linkUp();
    absences.linkLost();
    begin(1_000, "old");
    assertThat(ended).containsExactly("old");
  }
}
