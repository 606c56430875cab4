package io.mayflymq.core.store.disk;

import java.nio.ByteBuffer;

/**
 * Memory outside of the heap, in blocks of one size, for the contents of messages. Any thread may
 * take blocks; a block belongs to the thread that has taken it.
 */
public interface BlockMemory {
  /** Returns the size of the blocks in bytes, a power of two. */
  int blockBytes();

  /** Takes a block, which is to be freed. Returns null if there is no memory left. */
  Block take();

  /** A block of memory. */
  interface Block {
    /** Returns its bytes, of any value. Must not be used once the block is free. */
    ByteBuffer bytes();

    /** Gives it back. To be called once. */
    void free();
  }
}
