package io.mayflymq.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.mayflymq.core.store.disk.BlockMemory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The memory outside of the heap of this Java virtual machine: buffers of connections and files,
 * and blocks for contents of messages. Safe for use by several threads.
 *
 * <p>A block is freed at once, without a collection. Netty does that in a way that fits the Java at
 * hand, and tells in its log if a block becomes garbage before it was freed.
 */
public final class DirectMemory {
  private static final int BLOCK_BYTES = 1 << 20;

  /** How much of what Java allows the blocks may take, in percent: connections need the rest. */
  private static final int SHARE = 75;

  private static final long MOST_BYTES = limitBytes() / 100 * SHARE;

  private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true);

  private static final List<BufferPoolMXBean> OF_JAVA =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .toList();

  private DirectMemory() {}

  /** Returns where blocks for contents of messages are taken from. */
  public static BlockMemory blocks() {
    return new Blocks();
  }

  /** What -XX:MaxDirectMemorySize says; by default as much as the heap may take. */
  private static long limitBytes() {
    HotSpotDiagnosticMXBean java =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set =
        java == null ? 0 : Long.parseLong(java.getVMOption("MaxDirectMemorySize").getValue());
    return set > 0 ? set : Runtime.getRuntime().maxMemory();
  }

  /** Returns how many bytes the blocks take that are in use. */
  public static long blockBytes() {
    return ALLOCATOR.metric().usedDirectMemory();
  }

  /**
   * Returns how many bytes are in use in all. Whether the JDK counts what Netty allocates depends
   * on how it does so; whichever of the two counts is larger has them all.
   */
  public static long usedBytes() {
    long counted = OF_JAVA.stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    return Math.max(
        counted, PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() + blockBytes());
  }

  private static final class Blocks implements BlockMemory {
    @Override
    public int blockBytes() {
      return BLOCK_BYTES;
    }

    @Override
    public Block take() {
      if (DirectMemory.blockBytes() + BLOCK_BYTES > MOST_BYTES) {
        return null;
      }
      try {
        return new BufferBlock(ALLOCATOR.directBuffer(BLOCK_BYTES, BLOCK_BYTES));
      } catch (OutOfMemoryError e) {
        return null; // Connections have taken more than the rest.
      }
    }
  }

  private record BufferBlock(ByteBuf buffer) implements BlockMemory.Block {
    @Override
    public ByteBuffer bytes() {
      return buffer.nioBuffer(0, buffer.capacity());
    }

    @Override
    public void free() {
      buffer.release();
    }
  }
}
