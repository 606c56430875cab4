package io.mayflymq.server.alarm;

/** How much memory is taken by what is alive. */
interface MemoryUse {
  /** Bytes in use after the last garbage collection, and buffers outside of the heap. */
  long usedBytes();

  /** Collects garbage now, so that {@link #usedBytes} is up to date. */
  void collect();
}
