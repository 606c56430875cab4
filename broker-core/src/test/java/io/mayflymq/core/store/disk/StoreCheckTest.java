package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.disk.StoreCheck.Fault;
import io.mayflymq.core.store.segment.MemoryDirectory;
import java.io.IOException;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StoreCheckTest {
  private final MemoryDirectory root = new MemoryDirectory();

  @Test
  void directoryListKeepsDirectoriesUntilTheyAreRemoved() throws IOException {
    UUID broker = new UUID(1, 2);
    TreeMap<String, Long> first = new TreeMap<>();
    first.put("shard-0", -1L);
    DirectoryList list = DirectoryList.write(root, broker, first);
    list.add("shard-1", 7);
    list.add("stream-9", 8);
    list.remove("shard-1");
    DirectoryList.Found found = DirectoryList.read(root.afterPowerLoss(new Random(1), 0));
    assertThat(found.whole()).isTrue();
    assertThat(found.broker()).isEqualTo(broker);
    first.put("stream-9", 8L);
    assertThat(found.listed()).isEqualTo(first);
  }

  @Test
  void unchangedDirectoryListIsNotRewritten() throws IOException {
    UUID broker = new UUID(1, 2);
    TreeMap<String, Long> listed = new TreeMap<>();
    DirectoryList.write(root, broker, listed).add("shard-0", 5);
    listed.put("shard-0", 5L);
    byte[] before = root.files().get(DirectoryList.FILE).clone();

    DirectoryList list = DirectoryList.settle(root, DirectoryList.read(root), broker, listed);
    assertThat(root.files().get(DirectoryList.FILE)).isEqualTo(before);
    list.add("shard-1", 6);
    listed.put("shard-1", 6L);
    assertThat(DirectoryList.read(root).listed()).isEqualTo(listed);
  }

  @Test
  void damagedLineOfTheDirectoryListIsReported() throws IOException {
    TreeMap<String, Long> listed = new TreeMap<>();
    listed.put("shard-0", 5L);
    listed.put("shard-1", 6L);
    DirectoryList.write(root, new UUID(1, 2), listed);
    byte[] bytes = root.files().get(DirectoryList.FILE).clone();
    for (int at = 0; at < bytes.length - 1; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      MemoryDirectory files = new MemoryDirectory();
      files.put(DirectoryList.FILE, damaged);
      assertThat(DirectoryList.read(files).whole()).as("byte %d", at).isFalse();
    }
  }

  @Test
  void missingDirectoryPreventsTheStart() throws IOException {
    MemoryHost host = new MemoryHost();
    TreeMap<String, Long> listed = new TreeMap<>();
    listed.put("shard-0", 5L);
    DirectoryList.write(host.root(), new UUID(1, 2), listed);
    host.open("shard-1");
    assertThat(StoreCheck.of(host).faults())
        .containsExactly(new Fault("shard-0", "is missing", true));
    assertThat(StoreCheck.of(host).refuses()).isTrue();
  }
}
