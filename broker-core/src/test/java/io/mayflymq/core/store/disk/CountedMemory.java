package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Blocks in the heap, which are counted. What is freed is overwritten, so that its use is seen. */
final class CountedMemory implements BlockMemory {
  private static final byte FREED = (byte) 0xdb;

  private final int blockBytes;
  private final int most;
  private final AtomicInteger taken = new AtomicInteger();

  CountedMemory(int blockBytes) {
    this(blockBytes, Integer.MAX_VALUE);
  }

  /**
   * Creates memory.
   *
   * @param most how many blocks there are
   */
  CountedMemory(int blockBytes, int most) {
    this.blockBytes = blockBytes;
    this.most = most;
  }

  /** How many blocks are taken. */
  int taken() {
    return taken.get();
  }

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public Block take() {
    if (taken.get() == most) {
      return null;
    }
    taken.incrementAndGet();
    return new CountedBlock(new byte[blockBytes]);
  }

  private final class CountedBlock implements Block {
    private final byte[] bytes;
    private boolean free;

    CountedBlock(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public ByteBuffer bytes() {
      return ByteBuffer.wrap(bytes);
    }

    @Override
    public void free() {
      assertThat(free).as("freed before").isFalse();
      free = true;
      Arrays.fill(bytes, FREED);
      taken.decrementAndGet();
    }
  }
}
