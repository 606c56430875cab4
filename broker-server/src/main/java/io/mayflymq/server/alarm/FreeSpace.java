package io.mayflymq.server.alarm;

import java.io.IOException;

/** Reads the free space of the disk. */
@FunctionalInterface
interface FreeSpace {
  /** Bytes that can still be written. */
  long freeBytes() throws IOException;
}
