package io.mayflymq.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.store.segment.MemoryDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The copies of the journal on a disk that fails, loses power, and whose files are damaged. */
class JournalFilesTest {
  private static final UUID ID = new UUID(3, 4);
  private static final int COMMITS = 30;

  /** What may happen to a file while the broker is down. */
  enum Damage {
    MISSING,
    EMPTY,
    CUT,
    HEADER_FLIPPED,
    SNAPSHOT_FLIPPED,
    COMMIT_FLIPPED,
    LAST_COMMIT_FLIPPED,
    OF_ANOTHER_BROKER,
    OLDER;

    void happenTo(MemoryDirectory files, String name, byte[] older) {
      byte[] bytes = files.files().get(name).clone();
      switch (this) {
        case MISSING -> files.remove(name);
        case EMPTY -> files.put(name, new byte[0]);
        case CUT -> files.put(name, Arrays.copyOf(bytes, bytes.length / 2));
        case HEADER_FLIPPED -> flip(files, name, bytes, 20);
        case SNAPSHOT_FLIPPED -> flip(files, name, bytes, JournalHeader.BYTES + 25);
        case COMMIT_FLIPPED -> flip(files, name, bytes, bytes.length / 2);
        case LAST_COMMIT_FLIPPED -> flip(files, name, bytes, bytes.length - 2);
        case OF_ANOTHER_BROKER -> files.put(name, filled(new UUID(5, 6)).files().get(name));
        case OLDER -> files.put(name, older);
      }
    }

    private static void flip(MemoryDirectory files, String name, byte[] bytes, int at) {
      bytes[at] ^= 0x10;
      files.put(name, bytes);
    }
  }

  private static MetadataCommand parameter(String name, Object value) {
    return new MetadataCommand.GlobalParameterSet(name, "\"" + value + "\"");
  }

  private static JournalFiles open(MemoryDirectory directory, UUID id) throws IOException {
    JournalContents contents = JournalContents.read(directory, id);
    assertThat(contents.faults()).isEmpty();
    return JournalFiles.open(directory, id, contents, Math.max(0, contents.sequence()));
  }

  private static void commit(JournalFiles files, MetadataCommand... commands) throws IOException {
    files.write(Arrays.stream(commands).map(JournalEntry::of).toList());
    files.force();
  }

  private static MemoryDirectory filled(UUID id) {
    MemoryDirectory directory = new MemoryDirectory();
    try (JournalFiles files = open(directory, id)) {
      for (int i = 0; i < COMMITS; i++) {
        commit(files, parameter("p" + i, i));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return directory;
  }

  private static List<MetadataCommand> read(MemoryDirectory directory) throws IOException {
    JournalContents contents = JournalContents.read(directory, ID);
    assertThat(contents.faults()).isEmpty();
    return contents.entries().commands();
  }

  @ParameterizedTest
  @EnumSource
  void oneDamagedCopyLosesNothingAndIsRepaired(Damage damage) throws Exception {
    for (String name : JournalContents.NAMES) {
      MemoryDirectory directory = filled(ID);
      byte[] older = directory.files().get(name).clone();
      try (JournalFiles files = open(directory, ID)) {
        commit(files, parameter("q", 1));
        commit(files, parameter("q", 2));
        commit(files, parameter("r", 3));
      }
      List<MetadataCommand> expected = read(directory);
      byte[] whole = directory.files().get(name).clone();

      damage.happenTo(directory, name, older);

      JournalContents found = JournalContents.read(directory, ID);
      assertThat(found.faults()).isEmpty();
      assertThat(found.flaws()).hasSize(1).allMatch(flaw -> flaw.file().equals(name));
      assertThat(found.entries().commands()).isEqualTo(expected);
      assertThat(directory.files().get(name)).isNotEqualTo(whole);
      open(directory, ID).close();
      assertThat(read(directory)).isEqualTo(expected);
      assertThat(JournalContents.read(directory, ID).flaws()).isEmpty();
    }
  }

  @Test
  void commitThatIsDamagedInBothCopiesIsReported() throws Exception {
    MemoryDirectory directory = filled(ID);
    for (String name : JournalContents.NAMES) {
      Damage.COMMIT_FLIPPED.happenTo(directory, name, null);
    }

    JournalContents found = JournalContents.read(directory, ID);

    assertThat(found.faults()).hasSize(1);
    assertThat(found.faults().get(0)).contains("lack the commits from ", "of " + COMMITS);
    assertThat(found.entries().commands()).hasSize(COMMITS - 1);
  }

  @Test
  void damageInDifferentPlacesOfBothCopiesLosesNothing() throws Exception {
    MemoryDirectory directory = filled(ID);
    List<MetadataCommand> expected = read(directory);
    Damage.COMMIT_FLIPPED.happenTo(directory, JournalContents.NAMES.get(0), null);
    Damage.LAST_COMMIT_FLIPPED.happenTo(directory, JournalContents.NAMES.get(1), null);

    open(directory, ID).close();

    assertThat(read(directory)).isEqualTo(expected);
    assertThat(JournalContents.read(directory, ID).flaws()).isEmpty();
  }

  @Test
  void failedWriteLeavesTheJournalUnchangedAndTheNextOneSucceeds() throws Exception {
    MemoryDirectory directory = filled(ID);
    List<MetadataCommand> before = read(directory);
    try (JournalFiles files = open(directory, ID)) {
      // Room for the first copy only, and then not even for that.
      for (long room : new long[] {100, 10}) {
        directory.fill(room);
        List<JournalEntry> entries = List.of(JournalEntry.of(parameter("no", "room")));
        assertThatThrownBy(() -> files.write(entries)).isInstanceOf(IOException.class);
        assertThat(read(directory)).isEqualTo(before);
      }
      directory.fill(Long.MAX_VALUE);
      commit(files, parameter("room", "again"));
    }
    assertThat(read(directory)).hasSize(COMMITS + 1).contains(parameter("room", "again"));
    assertThat(JournalContents.read(directory, ID).flaws()).isEmpty();
  }

  @Test
  void journalShrinksWhenItsDefinitionsAreDeleted() throws Exception {
    MemoryDirectory directory = new MemoryDirectory();
    int many = 20_000;
    long largest = 0;
    try (JournalFiles files = open(directory, ID)) {
      for (int i = 0; i < many; i += 1000) {
        commit(files, range(i, i + 1000, true));
        largest = Math.max(largest, size(directory));
        compactIfDue(files);
      }
      for (int i = 0; i < many; i += 1000) {
        commit(files, range(i, i + 1000, false));
        compactIfDue(files);
      }
      assertThat(size(directory)).isLessThan(1 << 20).isLessThan(largest);
    }
    assertThat(read(directory)).isEmpty();
  }

  private static MetadataCommand[] range(int from, int to, boolean set) {
    List<MetadataCommand> commands = new ArrayList<>();
    for (int i = from; i < to; i++) {
      commands.add(
          set
              ? parameter("parameter" + i, "x".repeat(100))
              : new MetadataCommand.GlobalParameterCleared("parameter" + i));
    }
    return commands.toArray(MetadataCommand[]::new);
  }

  private static void compactIfDue(JournalFiles files) throws IOException {
    if (files.isCompactionDue()) {
      assertThat(files.compact()).isNull();
    }
  }

  private static long size(MemoryDirectory directory) {
    return directory.files().get(JournalContents.NAMES.get(0)).length;
  }

  @Test
  void compactionWithoutRoomLeavesTheJournalAsItIs() throws Exception {
    MemoryDirectory directory = new MemoryDirectory();
    try (JournalFiles files = open(directory, ID)) {
      while (!files.isCompactionDue()) {
        commit(files, parameter("same", "x".repeat(100_000)));
      }
      long before = size(directory);
      directory.fill(10);
      assertThat(files.compact()).isNotNull();
      assertThat(files.isCompactionDue()).isFalse();
      directory.fill(Long.MAX_VALUE);
      assertThat(size(directory)).isEqualTo(before);
      assertThat(directory.list()).containsExactlyInAnyOrderElementsOf(JournalContents.NAMES);
      while (!files.isCompactionDue()) {
        commit(files, parameter("same", "y".repeat(100_000)));
      }
      assertThat(files.compact()).isNull();
      assertThat(size(directory)).isLessThan(200_000);
    }
    assertThat(read(directory)).containsExactly(parameter("same", "y".repeat(100_000)));
  }

  /** Whatever happens to unforced writes: what was committed is there, in order. */
  @Test
  void committedChangesOutlivePowerLoss() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      MemoryDirectory directory = new MemoryDirectory();
      int committed = 0;
      for (int life = 0; life < 4; life++) {
        JournalFiles files = open(directory, ID);
        int end = committed + random.nextInt(20);
        while (committed < end) {
          committed++;
          commit(files, parameter("count", committed), parameter("large", "x".repeat(120_000)));
          compactIfDue(files);
        }
        files.write(List.of(JournalEntry.of(parameter("count", committed + 1))));
        directory = directory.afterPowerLoss(random, random.nextDouble());
        List<MetadataCommand> found = read(directory);
        if (found.contains(parameter("count", committed + 1))) {
          committed++;
        } else if (committed > 0) {
          assertThat(found).as("seed %d", seed).contains(parameter("count", committed));
        }
      }
    }
  }

  /** Power is lost within a compaction, wherever in it that is. */
  @Test
  void compactionSurvivesPowerLoss() throws Exception {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      MemoryDirectory directory = new MemoryDirectory();
      List<MemoryDirectory> moments = new ArrayList<>();
      try (JournalFiles files = open(directory, ID)) {
        while (!files.isCompactionDue()) {
          commit(files, parameter("same", "x".repeat(100_000)));
        }
        commit(files, parameter("last", 1));
        directory.beforeChange(() -> moments.add(directory.afterPowerLoss(random, 0.5)));
        assertThat(files.compact()).isNull();
      }
      for (MemoryDirectory moment : moments) {
        assertThat(read(moment)).as("seed %d", seed).contains(parameter("last", 1)).hasSize(2);
        open(moment, ID).close();
        assertThat(JournalContents.read(moment, ID).flaws()).isEmpty();
      }
    }
  }
}
