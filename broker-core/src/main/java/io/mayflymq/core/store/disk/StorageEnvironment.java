package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogDirectory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/**
 * What stores need from the machine: directories, and threads that wait for the disk. Tests replace
 * it by an implementation in memory that can simulate a power loss.
 *
 * <p>Safe for use by several threads.
 */
interface StorageEnvironment {
  /** Returns the names of the directories that exist, in no order. */
  List<String> list() throws IOException;

  /** Returns the parent directory, for files; creates it if necessary. */
  LogDirectory root() throws IOException;

  /**
   * Opens a directory; if it does not exist it is created, and safe from a crash of the machine
   * before this returns.
   */
  LogDirectory open(String name) throws IOException;

  /** Renames a directory to an unused name, atomically and safely on return. */
  void rename(String from, String to) throws IOException;

  /**
   * Deletes a directory with its contents; does nothing if it does not exist. After a crash it
   * either exists completely or not at all, and once this has returned it is deleted for good.
   */
  void delete(String name) throws IOException;

  /**
   * Deletes the remains of directories whose deletion a crash interrupted. Called before anything
   * else.
   */
  void sweep() throws IOException;

  /**
   * Returns the threads that write something of this name.
   *
   * @param threads how many there are at most
   */
  ExecutorService flusher(String name, int threads);

  /** Waits until threads that write have done something. Must not be called by one of them. */
  default void await(CompletableFuture<Void> done) {
    done.join();
  }
}
