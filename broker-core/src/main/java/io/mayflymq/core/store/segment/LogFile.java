package io.mayflymq.core.store.segment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of a log. Safe for use by several threads. */
public interface LogFile extends Closeable {
  /**
   * Writes all remaining bytes of a buffer.
   *
   * @param position where in the file, in bytes
   * @throws IOException if not all could be written; how much was is unknown
   */
  void write(ByteBuffer source, long position) throws IOException;

  /**
   * Reads until the buffer is full or the file ends.
   *
   * @param position where in the file, in bytes
   * @return how many bytes were read, 0 or more
   */
  int read(ByteBuffer target, long position) throws IOException;

  /** The file's length in bytes. */
  long size() throws IOException;

  /** Truncates the file. */
  void truncate(long size) throws IOException;

  /**
   * Makes everything that was written so far safe from a crash of the machine. After an exception
   * it is unknown what is safe, and all must be taken as lost: the kernel may have dropped the
   * pages.
   */
  void force() throws IOException;
}
