package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.List;

/**
 * The directory of a log. Tests replace it by an implementation that loses what was never forced,
 * and that can simulate errors.
 *
 * <p>Safe for use by several threads.
 */
public interface LogDirectory {
  /** The names of the files, in no order. */
  List<String> list() throws IOException;

  /** Creates a file and opens it for reading and writing. An existing file is truncated. */
  LogFile create(String name) throws IOException;

  /** Opens a file that exists. */
  LogFile open(String name, boolean writable) throws IOException;

  /** Renames a file, atomically. An existing file of the new name is removed. */
  void rename(String from, String to) throws IOException;

  /** Removes a file; nothing happens if there is none. */
  void delete(String name) throws IOException;

  /**
   * Returns whether the content of a file also has a name elsewhere, as in a backup, so that it
   * must not be overwritten.
   */
  default boolean hasOtherLinks(String name) throws IOException {
    return false;
  }

  /** Forces creations, removals and renames of files to the disk, but not contents. */
  void force() throws IOException;

  /** Returns the directory's name for log messages. */
  @Override
  String toString();
}
