package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.store.segment.FileGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalStorageEnvironmentTest {
  private static final BrokerThreads THREADS = new BrokerThreads(Faults.logged());

  @TempDir Path directory;

  @Test
  void directoriesAreOpenedListedAndDeleted() throws IOException {
    LocalStorageEnvironment host =
        new LocalStorageEnvironment(directory.resolve("messages"), THREADS, new FileGate());
    assertThat(host.list()).isEmpty();
    host.open("shard-0").create("a").close();
    host.open("shard-1").create("b").close();

    assertThat(host.list()).containsExactlyInAnyOrder("shard-0", "shard-1");
    assertThat(host.open("shard-0").list()).containsExactly("a");
    host.delete("shard-0");
    host.delete("shard-0");
    assertThat(host.list()).containsExactly("shard-1");
  }

  @Test
  void restOfADeletedDirectoryIsNotListed() throws IOException {
    LocalStorageEnvironment host = new LocalStorageEnvironment(directory, THREADS, new FileGate());
    Files.createDirectories(directory.resolve("shard-0.deleted"));
    Files.writeString(directory.resolve("shard-0.deleted").resolve("a"), "rest");
    assertThat(host.list()).isEmpty();

    host.open("shard-0").create("b").close();
    host.delete("shard-0");

    assertThat(host.list()).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void restOfADeletedDirectoryIsSwept() throws IOException {
    LocalStorageEnvironment host =
        new LocalStorageEnvironment(directory.resolve("messages"), THREADS, new FileGate());
    host.sweep();
    host.open("stream-1").create("a").close();
    Path left = Files.createDirectory(directory.resolve("messages/stream-7.deleted"));
    Files.writeString(left.resolve("0000000001.log"), "rest");

    host.sweep();

    assertThat(left).doesNotExist();
    assertThat(host.list()).containsExactly("stream-1");
    assertThat(host.open("stream-1").list()).containsExactly("a");
  }
}
