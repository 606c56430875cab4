package io.mayflymq.server.memory;

/** The memory that live data takes. */
public interface MemoryUse {
  /** Bytes in use after the last garbage collection, and buffers outside of the heap. */
  long usedBytes();

  /**
   * Returns whether {@link #usedBytes} is known to leave out all garbage, as the last collection
   * was one of the whole heap.
   */
  boolean isOfWholeHeap();

  /** Collects garbage now, so that {@link #usedBytes} is up to date. */
  void collect();
}
