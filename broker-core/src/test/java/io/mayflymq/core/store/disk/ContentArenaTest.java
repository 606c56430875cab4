package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContentArenaTest {
  private static final int SLAB = 4096;

  private final Holders holders = new Holders(SLAB);
  private final ContentArena memory = holders.memory;

  private static Message message(String exchange, String key, int bodyBytes) {
    byte[] content = new byte[2 + bodyBytes];
    for (int i = 2; i < content.length; i++) {
      content[i] = (byte) (key.length() + i);
    }
    return new Message(
        ShortString.of(exchange), ShortString.of(key), content, 2, 5000, 200, true, List.of());
  }

  @Test
  void packedMessageIsReadBackUnchanged() {
    Message message = message("x", "a.long.key", 100);
    long location = memory.put(1, 7, message);
    Message read = memory.read(location);
    assertThat(read).usingRecursiveComparison().isEqualTo(message);
    assertThat(read.content()).isNotSameAs(message.content());
    assertThat(ContentArena.has(location)).isTrue();
    assertThat(ContentArena.has(1L << 40)).as("a place in a file").isFalse();
  }

  @Test
  void packedMessageIsReadBackWithItsMarks() {
    Message plain = message("x", "k", 10);
    Message oneKey = plain.withOneKey(true);
    Message deaths = plain.withPublishedDeaths(true);
    for (Message message : List.of(plain, oneKey, deaths, oneKey.withPublishedDeaths(true))) {
      Message read = memory.read(memory.put(1, 7, message));
      assertThat(read).usingRecursiveComparison().isEqualTo(message);
    }
  }

  @Test
  void consecutiveMessagesShareTheObjectsOfTheirNames() {
    long first = memory.put(1, 1, message("x", "k", 3));
    long second = memory.put(1, 2, message("x", "k", 4));
    long third = memory.put(1, 3, message("x", "other", 4));
    Message read = memory.read(first);
    assertThat(memory.read(second).routingKey()).isSameAs(read.routingKey());
    assertThat(memory.read(third).routingKey().value()).isEqualTo("other");
    assertThat(memory.read(first).routingKey().value()).isEqualTo("k");
  }

  @Test
  void contentIsPackedOnceForAllQueues() {
    Message message = message("x", "k", 200);
    long location = memory.put(1, 1, message);
    long alone = memory.liveBytes();
    for (int queue = 2; queue <= 20; queue++) {
      assertThat(memory.put(queue, 1, message)).isEqualTo(location);
    }
    assertThat(memory.liveBytes()).isEqualTo(alone + 19 * 16);
    for (int queue = 1; queue < 20; queue++) {
      memory.release(location);
      assertThat(memory.liveBytes()).isEqualTo(alone + 19 * 16);
    }
    memory.release(location);
    assertThat(memory.liveBytes()).isZero();
  }

  @Test
  void releasedContentIsNotSharedAgain() {
    Message message = message("x", "k", 200);
    memory.put(9, 9, message("x", "k", 10));
    long first = memory.put(1, 1, message);
    memory.release(first);
    long second = memory.put(2, 1, message);
    assertThat(second).isNotEqualTo(first);
    assertThat(memory.read(second).content()).isEqualTo(message.content());
  }

  @Test
  void contentsReleasedInOrderFreeTheirSlabs() {
    for (int round = 0; round < 1000; round++) {
      holders.put(List.of(1L), message("x", "k", 100));
      if (round >= 50) {
        holders.releaseOldest();
      }
      assertThat(memory.allocatedBytes()).isLessThanOrEqualTo(4L * SLAB);
    }
  }

  @Test
  void compactionMovesOldContentsTogether() {
    for (int number = 0; number < 2000; number++) {
      holders.put(number % 40 == 0 ? List.of(1L, 2L) : List.of(3L), message("x", "k", 100));
    }
    long full = memory.allocatedBytes();
    holders.releaseAllOf(3);
    while (memory.compact(500)) {
      holders.check();
    }
    holders.check();
    assertThat(memory.allocatedBytes()).isLessThan(full / 4);
    assertThat(holders.count()).isEqualTo(100);
    holders.releaseAllOf(1);
    holders.check();
    holders.releaseAllOf(2);
    assertThat(memory.liveBytes()).isZero();
  }

  @Test
  void idleArenaReleasesItsSpareMemory() {
    for (int number = 0; number < 500; number++) {
      holders.put(List.of(1L), message("x", "k", 100));
    }
    holders.releaseAllOf(1);
    for (int tick = 0; tick < 10; tick++) {
      memory.trim();
    }
    assertThat(memory.allocatedBytes()).isEqualTo(SLAB);
  }

  @Test
  void largeMessagesAndMessagesWithBccKeysAreNotPacked() {
    assertThat(memory.accepts(message("x", "k", SLAB / 16 - 60))).isTrue();
    assertThat(memory.accepts(message("x", "k", SLAB / 16))).isFalse();
    Message blind =
        new Message(
            ShortString.of("x"),
            ShortString.of("k"),
            new byte[2],
            2,
            Message.NO_TTL,
            0,
            false,
            List.of("b"));
    assertThat(memory.accepts(blind)).isFalse();
  }

  @Test
  void roomIsReportedWithoutAllocating() {
    Message message = message("x", "k", 200);
    assertThat(memory.hasRoomFor(message)).isFalse();
    memory.put(1, 1, message);
    assertThat(memory.allocatedBytes()).isEqualTo(SLAB);
    while (memory.hasRoomFor(message)) {
      memory.put(1, 1, message("x", "k", 200));
      assertThat(memory.allocatedBytes()).isEqualTo(SLAB);
    }
    memory.put(1, 1, message);
    assertThat(memory.allocatedBytes()).isEqualTo(2L * SLAB);
  }

  @Test
  void memoryOfBacklogIsFreedAsItGoes() {
    for (int number = 0; number < 2000; number++) {
      holders.put(List.of(1L), message("x", "k", 100));
    }
    assertThat(holders.blocks.taken()).isGreaterThan(50);
    for (int number = 0; number < 1990; number++) {
      holders.releaseOldest();
    }
    assertThat(holders.blocks.taken()).isLessThanOrEqualTo(6);
    assertThat(memory.allocatedBytes()).isEqualTo((long) holders.blocks.taken() * SLAB);
    holders.check();
  }

  @Test
  void closingFreesAllMemory() {
    for (int number = 0; number < 500; number++) {
      holders.put(List.of(1L, 2L), message("x", "k", 100));
    }
    long location = memory.put(3, 1, message("x", "k", 100));
    holders.releaseAllOf(2);
    memory.close();
    memory.close();
    assertThat(holders.blocks.taken()).isZero();
    assertThat(memory.allocatedBytes()).isZero();
    assertThat(memory.grow()).as("takes memory that would not be freed").isFalse();
    memory.release(location);
    memory.trim();
    assertThat(memory.compact(SLAB)).isFalse();
    assertThatThrownBy(() -> memory.read(location)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void withoutMemoryThereIsNoRoom() {
    Holders few = new Holders(new CountedMemory(SLAB, 2));
    Message message = message("x", "k", 200);
    assertThat(few.memory.grow()).isTrue();
    few.put(List.of(1L), message);
    assertThat(few.memory.grow()).isTrue();
    assertThat(few.memory.grow()).isFalse();
    while (few.memory.hasRoomFor(message)) {
      few.put(List.of(1L), message("x", "k", 200));
    }
    assertThatThrownBy(() -> few.memory.put(1, 0, message))
        .isInstanceOf(IllegalStateException.class);
    few.check();
    assertThat(few.blocks.taken()).isEqualTo(2);
  }

  @Test
  void compactionWaitsForMemory() {
    Holders few = new Holders(new CountedMemory(SLAB, 20));
    Message full = message("x", "k", 200);
    while (few.memory.hasRoomFor(full) || few.memory.grow()) {
      few.put(few.count() % 10 == 0 ? List.of(1L) : List.of(2L), message("x", "k", 200));
      few.put(List.of(2L), message("x", "k", 20));
    }
    few.releaseAllOf(2);
    while (few.memory.compact(SLAB)) {
      few.check();
    }
    few.check();
    few.releaseAll();
    assertThat(few.memory.liveBytes()).isZero();
  }

  @Test
  void invalidSlabSizeIsRefused() {
    assertThatThrownBy(() -> new ContentArena(new CountedMemory(3000), holders))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3000");
  }
}
