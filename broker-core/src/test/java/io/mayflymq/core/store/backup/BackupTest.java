package io.mayflymq.core.store.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.core.store.segment.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
  @TempDir Path directory;
  private final FileGate gate = new FileGate();
  private Path data;
  private Path target;
  private Backup backup;

  @BeforeEach
  void fill() throws IOException {
    data = Files.createDirectory(directory.resolve("data"));
    target = directory.resolve("backup");
    backup = new Backup(data, gate);
    for (String name :
        List.of(
            "mayfly.format",
            "mayfly.lock",
            "mayfly.control",
            "metadata.log",
            "metadata.copy",
            "metadata.copy.new",
            "messages/directories",
            "messages/shard-0/0000000001.log",
            "messages/shard-0/0000000001.idx",
            "messages/shard-0/0000000002.log",
            "messages/shard-0/0000000000.spare",
            "messages/shard-0/segments.manifest",
            "messages/shard-0/segments.manifest.copy",
            "messages/stream-7/0000000003.log",
            "messages/stream-7/0000000003.offsets",
            "messages/stream-7/0000000004.log",
            "messages/stream-7/0000000004.offsets",
            "messages/paging-0/0000000001.log",
            "messages/shard-9.deleted/0000000001.log")) {
      Path file = data.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, name);
    }
  }

  private static List<String> files(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  private boolean isSameFile(String name) throws IOException {
    return Files.isSameFile(data.resolve(name), target.resolve(name));
  }

  @Test
  void whatAStartNeedsIsThereAndWhatChangesInPlaceIsCopied() throws Exception {
    Backup.Report report = backup.take(target);

    assertThat(files(target))
        .containsExactly(
            "mayfly.format",
            "messages/directories",
            "messages/shard-0/0000000001.idx",
            "messages/shard-0/0000000001.log",
            "messages/shard-0/0000000002.log",
            "messages/shard-0/segments.manifest",
            "messages/shard-0/segments.manifest.copy",
            "messages/stream-7/0000000003.log",
            "messages/stream-7/0000000003.offsets",
            "messages/stream-7/0000000004.log",
            "messages/stream-7/0000000004.offsets",
            "metadata.copy",
            "metadata.log");
    for (String name : files(target)) {
      assertThat(Files.readString(target.resolve(name))).isEqualTo(name);
      boolean complete = name.matches(".*(1\\.idx|1\\.log|3\\.log|3\\.offsets)");
      assertThat(isSameFile(name)).as(name).isEqualTo(complete);
    }
    assertThat(report.files()).isEqualTo(13);
    assertThat(report.linked()).isEqualTo(4);
    assertThat(files(directory)).noneMatch(name -> name.contains("partial"));
    assertThat(files(data)).noneMatch(name -> name.contains("staging"));
  }

  @Test
  void targetThatCannotBeUsedIsRefusedAndNothingIsLeft() throws Exception {
    assertThatThrownBy(() -> backup.take(data.resolve("inside")))
        .hasMessage("it is in the data directory: expected another directory");
    assertThatThrownBy(() -> backup.take(directory.resolve("none/backup")))
        .hasMessage("the directory above it does not exist");
    Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> backup.take(directory.resolve("file")))
        .hasMessage("it exists and is not a directory");
    Files.createDirectories(target.resolve("something"));
    assertThatThrownBy(() -> backup.take(target))
        .hasMessage("it is not empty: expected a directory that is new or empty");
    Files.delete(target.resolve("something"));
    assertThat(backup.take(target).files()).isEqualTo(13);
  }

  @Test
  void failedBackupLeavesNothing() throws Exception {
    Files.delete(data.resolve("messages/shard-0/0000000002.log"));
    Files.createDirectory(data.resolve("messages/shard-0/0000000002.log"));

    assertThatThrownBy(() -> backup.take(target)).isInstanceOf(IOException.class);

    assertThat(target).doesNotExist();
    assertThat(directory.resolve("backup.partial")).doesNotExist();
    assertThat(data.resolve("backup.staging")).doesNotExist();
  }

  @Test
  void restOfAnInterruptedBackupIsRemoved() throws Exception {
    Files.createDirectories(data.resolve("backup.staging/messages"));
    Files.writeString(data.resolve("backup.staging/messages/x"), "");

    Backup.removeRest(data);

    assertThat(data.resolve("backup.staging")).doesNotExist();
  }

  @Test
  void changesWaitWhileTheyAreHeldBack() throws Exception {
    DiskDirectory log = new DiskDirectory(data.resolve("messages/shard-0"), gate);
    CountDownLatch begun = new CountDownLatch(1);
    Thread writer =
        new Thread(
            () -> {
              begun.countDown();
              try (LogFile file = log.open("0000000002.log", true)) {
                file.write(ByteBuffer.wrap("changed".getBytes(UTF_8)), 0);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    Path file = data.resolve("messages/shard-0/0000000002.log");
    gate.hold(
        () -> {
          writer.start();
          awaitState(writer, begun);
          assertThat(Files.readString(file)).doesNotStartWith("changed");
        });
    writer.join();
    assertThat(Files.readString(file)).startsWith("changed");
  }

  /** Waits until the thread waits for the gate. */
  private static void awaitState(Thread thread, CountDownLatch begun) {
    try {
      begun.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(thread.isAlive()).as("it waits for the gate").isTrue();
      Thread.onSpinWait();
    }
  }

  @Test
  void fileWithAnotherNameIsRecognised() throws Exception {
    DiskDirectory log = new DiskDirectory(data.resolve("messages/shard-0"), gate);
    assertThat(log.hasOtherLinks("0000000001.log")).isFalse();

    backup.take(target);

    assertThat(log.hasOtherLinks("0000000001.log")).isTrue();
    assertThat(log.hasOtherLinks("0000000002.log")).isFalse();
  }
}
