package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A log of which files are missing or another's. */
class SegmentManifestTest {
  private static final LogOptions STRICT = LogRig.options(Sync.ALWAYS);

  /** Three segments or more, with messages in each. */
  private static LogRig filled() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 100; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.safe();
    rig.log.note(0);
    rig.executor.runAll();
    return rig;
  }

  private static MemoryDirectory without(LogRig rig, String name) {
    MemoryDirectory files = rig.directory.afterKill();
    files.remove(name);
    return files;
  }

  private static MemoryDirectory emptied(LogRig rig, String name) {
    MemoryDirectory files = rig.directory.afterKill();
    files.put(name, new byte[0]);
    return files;
  }

  private static void assertRefuses(MemoryDirectory files, String name) throws IOException {
    List<String> before = files.names();
    assertThatThrownBy(() -> new LogRig(files, STRICT))
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseInstanceOf(LogRefusedException.class)
        .hasMessageContaining(name);
    assertThat(files.names()).as("what a refused start has left").isEqualTo(before);
    assertThat(LogCheck.of(files).damages())
        .as("what check-data says")
        .anyMatch(damage -> damage.kind().refuses() && damage.file().equals(name));
    LogRig accepted = new LogRig(files, STRICT.acceptingLoss());
    assertThat(accepted.report.damages())
        .anyMatch(damage -> damage.kind().refuses() && damage.file().equals(name));
    accepted.enqueue(9, 0, LogRig.message(0, 10));
    accepted.safe();
    LogRig again = accepted.reopen();
    assertThat(again.report.damages()).as("once accepted").noneMatch(d -> d.kind().refuses());
    assertThat(again.entries.keySet()).isEqualTo(accepted.entries.keySet());
  }

  @Test
  void missingOrEmptySegmentPreventsTheStart() throws IOException {
    LogRig rig = filled();
    List<Integer> numbers = SegmentNames.segments(rig.directory.names());
    assertThat(numbers).hasSizeGreaterThan(2);
    for (int number : numbers) {
      assertRefuses(without(rig, SegmentNames.log(number)), SegmentNames.log(number));
      assertRefuses(emptied(rig, SegmentNames.log(number)), SegmentNames.log(number));
    }
  }

  @Test
  void emptySegmentWithAnEmptyIndexPreventsTheStart() throws IOException {
    MemoryDirectory files = emptied(filled(), SegmentNames.log(1));
    files.put(SegmentNames.index(1), new byte[0]);
    assertRefuses(files, SegmentNames.log(1));
  }

  @Test
  void segmentOfAnotherLogPreventsTheStart() throws IOException {
    LogRig rig = filled();
    LogRig other = filled();
    for (int number : SegmentNames.segments(rig.directory.names())) {
      MemoryDirectory files = rig.directory.afterKill();
      files.put(SegmentNames.log(number), other.directory.bytes(SegmentNames.log(number)));
      assertRefuses(files, SegmentNames.log(number));
    }
  }

  @Test
  void manifestOfAnotherBrokerPreventsTheStart() throws IOException {
    LogRig rig = filled();
    LogIdentity another = new LogIdentity(new UUID(8, 9), "shard-3");
    assertThatThrownBy(() -> rig.reopen(STRICT.of(another)))
        .hasRootCauseInstanceOf(LogRefusedException.class)
        .hasMessageContaining(SegmentManifest.FILE);
  }

  @Test
  void indexOfAnotherLogIsRebuilt() {
    LogRig rig = filled();
    LogRig other = new LogRig();
    for (int i = 0; i < 100; i++) {
      other.enqueue(2, i, LogRig.message(i, 100));
    }
    other.safe();
    MemoryDirectory files = rig.directory.afterKill();
    files.put(SegmentNames.index(1), other.directory.bytes(SegmentNames.index(1)));
    LogRig after = new LogRig(files, STRICT);
    assertThat(after.entries.keySet()).isEqualTo(rig.entries.keySet());
    assertThat(after.report.damages()).extracting(Damage::kind).contains(Damage.Kind.INDEX);
  }

  @Test
  void oneOfTheTwoManifestFilesIsEnough() throws IOException {
    LogRig rig = filled();
    for (String name : List.of(SegmentManifest.FILE, SegmentManifest.COPY)) {
      for (MemoryDirectory files : List.of(without(rig, name), emptied(rig, name))) {
        files.remove(SegmentNames.log(1));
        assertRefuses(files, SegmentNames.log(1));
      }
    }
  }

  @Test
  void missingManifestIsReportedAndRewritten() {
    LogRig rig = filled();
    MemoryDirectory files = without(rig, SegmentManifest.FILE);
    files.remove(SegmentManifest.COPY);
    LogRig after = new LogRig(files, STRICT);
    assertThat(after.entries.keySet()).isEqualTo(rig.entries.keySet());
    assertThat(after.report.damages()).extracting(Damage::kind).contains(Damage.Kind.MANIFEST);
    LogRig again = after.reopen();
    assertThat(again.report.damages()).isEmpty();
    assertThat(again.entries.keySet()).isEqualTo(rig.entries.keySet());
  }

  /** Until it was noted what had been forced, a cut looks like a write that a crash interrupted. */
  @Test
  void truncationBeforeTheForcedEndIsReported() throws IOException {
    LogRig rig = filled();
    List<Integer> numbers = SegmentNames.segments(rig.directory.names());
    String last = SegmentNames.log(numbers.get(numbers.size() - 1));
    byte[] bytes = rig.directory.bytes(last);
    for (int length = SegmentHeader.SPACE; length < bytes.length; length++) {
      MemoryDirectory files = rig.directory.afterKill();
      files.put(last, Arrays.copyOf(bytes, length));
      LogCheck check = LogCheck.of(files);
      LogRig after = new LogRig(files, STRICT);
      if (!after.entries.keySet().equals(rig.entries.keySet())) {
        assertThat(after.report.damages())
            .as("a cut at %d of %d", length, bytes.length)
            .anyMatch(damage -> damage.file().equals(last) && !damage.kind().isHarmless());
        assertThat(check.damages()).containsAll(after.report.damages());
      }
    }
  }

  @Property(tries = 100)
  void noSegmentIsMissedAsSegmentsAreCreatedAndDeleted(@ForAll long seed) {
    Random random = new Random(seed);
    LogRig rig = new LogRig();
    for (int round = 0; round < 4; round++) {
      rig.comeAndGo(5, round * 300);
      MemoryDirectory files =
          random.nextBoolean()
              ? rig.directory.afterKill()
              : rig.directory.afterPowerLoss(random, random.nextDouble());
      rig = new LogRig(files, STRICT);
      assertThat(rig.report.damages()).noneMatch(damage -> damage.kind().refuses());
    }
  }

  @Test
  void manifestKeepsSegmentsAndNotes() throws IOException {
    LogIdentity identity = new LogIdentity(new UUID(3, 4), "stream-17");
    ManifestContents contents = ManifestContents.empty(identity, 99);
    TreeMap<Integer, Long> segments = new TreeMap<>();
    for (int number : new int[] {1, 2, 3, 7, 8, 100}) {
      segments.put(number, number == 8 ? 5L : 99L);
    }
    ManifestContents full = contents.with(segments).noting(1234, 42).about("what it is");
    byte[] bytes = full.encode();
    assertThat(ManifestContents.decode(bytes, "file")).isEqualTo(full);
    assertThat(bytes.length % 4096).isZero();
    for (int at = 0; at < 200; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 4;
      ManifestContents read = ManifestContents.decode(damaged, "file");
      assertThat(read == null || read.equals(full)).as("bit at %d", at).isTrue();
    }
  }
}
