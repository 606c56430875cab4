package io.mayflymq.server.alarm;

/** The memory that live data takes. */
interface MemoryUse {
  /** Bytes in use after the last garbage collection, and buffers outside of the heap. */
  long usedBytes();

  /** Collects garbage now, so that {@link #usedBytes} is up to date. */
  void collect();
}
