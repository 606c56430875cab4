package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.segment.file.LogDirectory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;

/**
 * What stores need of the machine: directories, and threads that wait for the disk. A seam: tests
 * put a host in its place that is in memory and loses its power when it is told to.
 *
 * <p>Safe for use by several threads.
 */
interface StorageEnvironment {
  /** The names of the directories that exist, in no order. */
  List<String> list() throws IOException;

  /** The directory that the directories are in, for files; made if there is none. */
  LogDirectory root() throws IOException;

  /**
   * Opens a directory; if there is none it is made, and safe from the machine's crash before this
   * returns.
   */
  LogDirectory open(String name) throws IOException;

  /** Gives a directory another name, which none has, in one step that is safe on return. */
  void rename(String from, String to) throws IOException;

  /**
   * Removes a directory with all that is in it; nothing happens if there is none. After a crash it
   * is there in whole or not at all, and once this has returned it is gone for good.
   */
  void delete(String name) throws IOException;

  /**
   * Removes what is left of directories whose removal a crash interrupted. Called before anything
   * else is.
   */
  void sweep() throws IOException;

  /** Threads for the log of this name, two at most: see {@link SegmentLog}. */
  ExecutorService flusher(String name);
}
