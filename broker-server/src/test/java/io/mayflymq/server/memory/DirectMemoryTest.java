package io.mayflymq.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.disk.BlockMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {
  private static final int COUNT = 32;

  private final BlockMemory blocks = DirectMemory.blocks();

  @Test
  void blocksCountWhileTheyAreInUse() {
    long before = DirectMemory.blockBytes();
    long inAll = DirectMemory.usedBytes();
    long bytes = (long) COUNT * blocks.blockBytes();
    List<BlockMemory.Block> taken = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      taken.add(blocks.take());
    }
    assertThat(DirectMemory.blockBytes() - before).isEqualTo(bytes);
    assertThat(DirectMemory.usedBytes() - inAll).isGreaterThan(bytes / 2);
    assertThat(taken)
        .allSatisfy(each -> assertThat(each.bytes().capacity()).isEqualTo(blocks.blockBytes()));
    taken.forEach(BlockMemory.Block::free);
    assertThat(DirectMemory.blockBytes()).isEqualTo(before);
  }

  @Test
  void blocksAreOutsideOfTheHeap() {
    BlockMemory.Block block = blocks.take();
    assertThat(block.bytes().isDirect()).isTrue();
    assertThat(Integer.bitCount(blocks.blockBytes())).isEqualTo(1);
    block.free();
  }
}
