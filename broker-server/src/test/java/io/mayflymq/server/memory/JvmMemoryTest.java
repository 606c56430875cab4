package io.mayflymq.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JvmMemoryTest {
  private static final int SIZE = 64 << 20;

  /** G1 gives out whole regions, of 4 MiB here, and other tests use and free memory meanwhile. */
  private static final long TOLERANCE = 40L << 20;

  private final JvmMemory memory = new JvmMemory();
  private final List<Object> held = new ArrayList<>();

  @Test
  void usedHeapExcludesGarbage() {
    memory.collect();
    long before = memory.heapBytes();
    held.add(new byte[SIZE]);
    memory.collect();
    long during = memory.heapBytes();
    held.clear();
    memory.collect();
    long after = memory.heapBytes();
    assertThat(during - before).isBetween(SIZE - TOLERANCE, SIZE + TOLERANCE);
    assertThat(after - before).isLessThan(TOLERANCE);
  }

  @Test
  void collectionOfTheWholeHeapIsKnownAsOne() {
    boolean known = false;
    // What other tests do may end in a collection of the young generation just after.
    for (int attempt = 0; attempt < 100 && !known; attempt++) {
      memory.collect();
      known = memory.isOfWholeHeap();
    }
    assertThat(known).isTrue();
  }

  @Test
  void usedMemoryIncludesDirectBuffers() {
    memory.collect();
    long before = memory.usedBytes();
    held.add(ByteBuffer.allocateDirect(SIZE));
    // What other tests left behind may be freed at the same time.
    assertThat(memory.usedBytes() - before).isGreaterThan(SIZE - TOLERANCE);
    assertThat(held).hasSize(1);
  }
}
