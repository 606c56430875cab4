package io.mayflymq.core.store.segment.file;

import java.io.IOException;
import java.util.List;

/**
 * The directory that a log lives in, as far as a log needs one. A seam: tests put a directory in
 * its place that forgets what was never forced, and that fails when it is told to.
 *
 * <p>Safe for use by several threads.
 */
public interface LogDirectory {
  /** The names of the files, in no order. */
  List<String> list() throws IOException;

  /**
   * Creates a file and opens it for reading and writing. What was there under the name is emptied.
   */
  LogFile create(String name) throws IOException;

  /** Opens a file that exists. */
  LogFile open(String name, boolean writable) throws IOException;

  /** Gives a file another name, in one step. What was there under that name is removed. */
  void rename(String from, String to) throws IOException;

  /** Removes a file; nothing happens if there is none. */
  void delete(String name) throws IOException;

  /** Makes safe which files there are: creations, removals and names, not contents. */
  void force() throws IOException;

  /** Names the directory to people. */
  @Override
  String toString();
}
