package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.segment.LogRig.Back;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Notes in the log about messages that consumers have returned. */
class SegmentLogReturnsTest {
  private final LogRig rig = new LogRig();

  private void comeBack() {
    rig.deliver(1, 40);
    rig.comeBack(1, 30, 1, 5000);
    rig.comeBack(1, 40, 1, 0);
    rig.comeBack(1, 30, 2, 7000);
    rig.comeBack(2, 9, 16_777_215, Long.MAX_VALUE);
  }

  private static final Map<Long, TreeMap<Long, Back>> EXPECTED =
      Map.of(
          1L, new TreeMap<>(Map.of(30L, new Back(2, 7000), 40L, new Back(1, 0))),
          2L, new TreeMap<>(Map.of(9L, new Back(16_777_215, Long.MAX_VALUE))));

  @Test
  void returnNotesAreRecoveredFromTheirSegment() throws IOException {
    comeBack();
    rig.safe();
    assertThat(rig.reopen().returned).isEqualTo(EXPECTED);
    assertThat(LogCheck.of(rig.directory).damages()).isEmpty();
  }

  @Test
  void returnNotesAreKeptWhenTheirSegmentIsDeleted() {
    comeBack();
    rig.comeAndGo(1, 0);
    assertThat(rig.directory.names()).doesNotContain(SegmentNames.log(1));
    LogRig again = rig.reopen();
    assertThat(again.returned).isEqualTo(EXPECTED);
    // Every start deletes the unneeded segments, and keeps their notes.
    for (int i = 0; i < 4; i++) {
      again.close();
      again = again.reopen();
      again.compact();
      assertThat(again.returned).isEqualTo(EXPECTED);
      assertThat(again.directory.names()).filteredOn(name -> name.endsWith(".log")).hasSize(1);
    }
  }

  @Test
  void newerReturnNotesReplaceOlderOnes() {
    comeBack();
    rig.comeAndGo(1, 0);
    rig.returned.get(1L).remove(30L);
    rig.returned.remove(2L);
    rig.comeAndGo(1, 1000);

    assertThat(rig.reopen().returned)
        .isEqualTo(Map.of(1L, new TreeMap<>(Map.of(40L, new Back(1, 0)))));
  }

  @Test
  void returnNotesAreInARebuiltIndex() {
    comeBack();
    for (int i = 0; i < 60; i++) {
      rig.enqueue(3, i, LogRig.message(i, 100));
    }
    rig.safe();
    for (String name : rig.directory.names()) {
      if (name.endsWith(".idx")) {
        rig.directory.remove(name);
      }
    }
    LogRig scanned = rig.reopen();
    assertThat(scanned.returned).isEqualTo(EXPECTED);
    assertThat(scanned.reopen().returned).as("from the new ones").isEqualTo(EXPECTED);
  }
}
