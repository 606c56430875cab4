package io.mayflymq.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeliveryCount;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What the log keeps of messages that have come back. */
class RedeliveryNotesTest {
  private record Note(long sequence, long returns, long untilMillis) {}

  private static List<Note> unpack(byte[] notes) {
    List<Note> all = new ArrayList<>();
    RedeliveryNotes.forEach(
        notes, (sequence, returns, until) -> all.add(new Note(sequence, returns, until)));
    return all;
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void packedNotesReturnWhatWasAdded(@ForAll long seed) {
    Random random = new Random(seed);
    RedeliveryNotes notes = new RedeliveryNotes();
    for (int round = 0; round < 3; round++) {
      List<Note> added = new ArrayList<>();
      for (int count = random.nextInt(60); count > 0; count--) {
        long until =
            switch (random.nextInt(4)) {
              case 0 -> RedeliveryNotes.READY;
              case 1 -> RedeliveryNotes.TAKEN;
              default -> any(random);
            };
        Note note = new Note(any(random), count(random), until);
        notes.add(note.sequence, note.returns, note.untilMillis);
        added.add(note);
      }
      assertThat(unpack(notes.take())).isEqualTo(added);
      assertThat(notes.size()).isZero();
    }
  }

  private static long count(Random random) {
    int acquired = 1 + random.nextInt(1 << random.nextInt(31));
    return DeliveryCount.of(acquired, random.nextBoolean() ? acquired : random.nextInt(acquired));
  }

  private static long any(Random random) {
    return 1 + (random.nextLong() >>> 1 >>> random.nextInt(62));
  }

  @Test
  void packedNotesAreThoseOfEarlierVersions() {
    RedeliveryNotes notes = new RedeliveryNotes();
    notes.add(5, DeliveryCount.of(3, 2), RedeliveryNotes.READY);
    notes.add(1L << 50, DeliveryCount.of(1, 1), RedeliveryNotes.TAKEN);
    notes.add(300, DeliveryCount.of(200, 200), 1_800_000_000_000L);

    assertThat(HexFormat.of().formatHex(notes.take()))
        .isEqualTo("0a0b00000cf6ffffffffffff0306a7fbffffffffff03a10680c0e285e368");
  }

  @Test
  void packedNotesTakeAtMostFourBytesEach() {
    RedeliveryNotes notes = new RedeliveryNotes();
    for (int i = 0; i < 100_000; i++) {
      notes.add(1_000_000 + i, DeliveryCount.of(1 + i % 5, 1 + i % 5), 1_800_000_000_000L + i / 3);
    }
    assertThat(notes.size()).isLessThan(4 * 100_000);
    assertThat(unpack(notes.take())).hasSize(100_000);
  }
}
