package io.mayflymq.server.alarm;

import java.io.IOException;

/** How much room there is for data. */
@FunctionalInterface
interface FreeSpace {
  /** Bytes that can still be written. */
  long freeBytes() throws IOException;
}
