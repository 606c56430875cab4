package io.mayflymq.core.deathjournal;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is in the files of the death journal, compared with a list. */
class DiskDeathJournalTest {
  private static final BrokerThreads THREADS = new BrokerThreads(Faults.logged());
  private static final List<DropTrigger> CAUSES = List.of(DropTrigger.values());
  private static final List<DropOutcome> FATES = List.of(DropOutcome.values());
  private static final int BYTES = 40_000;
  private static final int STEPS = 60;

  @TempDir Path directory;

  private DiskDeathJournal open(int size) throws IOException {
    return DiskDeathJournal.open(directory.resolve("deaths"), size, BYTES, THREADS);
  }

  private static DeathRecord death(int i) {
    if (i % 11 == 10) {
      return DeathRecord.removed(
          1_000 + i,
          "v",
          "q" + i % 3,
          null,
          new DeathRecord.Removal(
              i % 2 == 0 ? DeathRecord.Removal.Kind.MOVED : DeathRecord.Removal.Kind.DELETED,
              "ü" + i),
          i % 2 == 0 ? List.of("t") : List.of());
    }
    return new DeathRecord(
        1_000 + i,
        "v",
        "q" + i % 3,
        i % 4 == 0
            ? null
            : new DeathRecord.Identity(i % 5 == 0 ? null : "m" + i, "ü".repeat(i % 50), "k"),
        CAUSES.get(i % CAUSES.size()),
        i % 2 == 0 ? Deadlines.NEVER : i,
        FATES.get(i % FATES.size()),
        i % 3 == 0 ? null : "x",
        i % 7 == 0 ? List.of() : List.of("k", ""),
        List.of("t"));
  }

  private static List<DeathRecord> all(DeathJournal journal) {
    return journal.latest(death -> true, Long.MAX_VALUE).stream()
        .map(DeathJournal.Entry::death)
        .toList();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("deaths"))) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }

  private long bytesOnDisk() throws IOException {
    long bytes = 0;
    for (Path file : files()) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void keepsTheLatestOverRestartsAndTornTails(long seed) throws Exception {
    Random random = new Random(seed);
    int size = random.nextBoolean() ? 1_000_000 : 1 + random.nextInt(300);
    List<DeathRecord> model = new ArrayList<>();
    DiskDeathJournal journal = open(size);
    for (int step = 0; step < STEPS; step++) {
      List<DeathRecord> batch = new ArrayList<>();
      for (int i = random.nextInt(40); i > 0; i--) {
        batch.add(death(model.size() + batch.size()));
      }
      model.addAll(batch);
      journal.add(batch);
      int kind = random.nextInt(6);
      if (kind < 2) {
        journal.close();
        if (kind == 0) {
          tear(files().get(0), random);
        }
        journal = open(size);
        DeathJournal.Reach reach = journal.reach();
        int next = Math.toIntExact(reach.gone() + reach.kept());
        assertThat(next).isLessThanOrEqualTo(model.size());
        assertThat(kind == 0 || next == model.size()).isTrue();
        model = new ArrayList<>(model.subList(0, next));
      } else if (kind == 2) {
        journal.awaitWritten();
      }
      check(journal, model, size);
    }
    journal.awaitWritten();
    assertThat(bytesOnDisk()).isBetween(1L, (long) BYTES);
    journal.close();
  }

  private static void check(DeathJournal journal, List<DeathRecord> model, int size) {
    List<DeathRecord> found = all(journal);
    int from = model.size() - found.size();
    assertThat(found.size()).isLessThanOrEqualTo(size);
    List<DeathRecord> expected = new ArrayList<>(model.subList(from, model.size()));
    Collections.reverse(expected);
    assertThat(found).isEqualTo(expected);
    // Half of the bytes, as a file is deleted as a whole, and 250 bytes are more than one takes.
    assertThat(found.size()).isGreaterThanOrEqualTo(Math.min(Math.min(size, model.size()), 80));
    assertThat(journal.reach())
        .isEqualTo(
            new DeathJournal.Reach(
                size, BYTES, found.size(), from, found.isEmpty() ? -1 : 1_000 + from));
    assertThat(journal.latest(death -> death.queue().equals("q1"), 2))
        .extracting(DeathJournal.Entry::death)
        .isEqualTo(found.stream().filter(death -> death.queue().equals("q1")).limit(2).toList());
  }

  private static void tear(Path file, Random random) throws IOException {
    try (RandomAccessFile torn = new RandomAccessFile(file.toFile(), "rw")) {
      if (random.nextBoolean()) {
        torn.setLength(Math.max(40, torn.length() - random.nextInt(300)));
      } else {
        torn.seek(torn.length());
        torn.write(new byte[1 + random.nextInt(100)]);
      }
    }
  }

  @Test
  void reachesBackToTheLastGapIfItCouldNotWrite() throws Exception {
    try (DiskDeathJournal journal = open(1_000)) {
      journal.add(List.of(death(0), death(1)));
      journal.awaitWritten();
    }
    DeathFiles files = DeathFiles.open(directory.resolve("deaths"), BYTES);
    files.write(5, List.of(death(5), death(6)), 0);
    files.close();
    try (DiskDeathJournal journal = open(1_000)) {
      assertThat(all(journal)).containsExactly(death(6), death(5), death(1), death(0));
      assertThat(journal.reach()).isEqualTo(new DeathJournal.Reach(1_000, BYTES, 2, 5, 1_005));
    }
  }

  @Test
  void damageAtTheStartOfAFileCostsThatFile() throws Exception {
    try (DiskDeathJournal journal = open(1_000)) {
      for (int i = 0; i < 100; i++) {
        journal.add(List.of(death(i)));
      }
    }
    List<Path> files = files();
    assertThat(files).hasSizeGreaterThan(2);
    try (RandomAccessFile damaged = new RandomAccessFile(files.get(1).toFile(), "rw")) {
      damaged.write(0);
    }
    try (DiskDeathJournal journal = open(1_000)) {
      assertThat(all(journal)).startsWith(death(99)).endsWith(death(0)).hasSizeLessThan(100);
      assertThat(journal.reach().kept()).isLessThan(50);
    }
    assertThat(files()).doesNotContain(files.get(1));
  }
}
