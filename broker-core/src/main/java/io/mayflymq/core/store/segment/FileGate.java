package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Lets changes of files be held back for a moment. While they are, the files are as a process would
 * leave them that is killed then, and a start recovers from that.
 *
 * <p>Each change passes alone and completely: a write, a truncation, a rename, a deletion. Reads
 * and forces are never held back. Thread-safe.
 */
public final class FileGate {
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  /** A change of a file. */
  @FunctionalInterface
  interface Change<T> {
    T make() throws IOException;
  }

  /** What is done while changes are held back. */
  @FunctionalInterface
  public interface Pause {
    /** Does it, as fast as possible: nothing is confirmed meanwhile. */
    void run() throws IOException;
  }

  /** Makes a change, when changes are not held back. */
  <T> T pass(Change<T> change) throws IOException {
    Lock shared = lock.readLock();
    shared.lock();
    try {
      return change.make();
    } finally {
      shared.unlock();
    }
  }

  /** Makes a change that consists of one or more operations of the owner of the directories. */
  public void change(Pause change) throws IOException {
    pass(
        () -> {
          change.run();
          return null;
        });
  }

  /**
   * Holds all changes back, after those that have begun.
   *
   * @throws IOException what the task throws
   */
  public void hold(Pause task) throws IOException {
    Lock alone = lock.writeLock();
    alone.lock();
    try {
      task.run();
    } finally {
      alone.unlock();
    }
  }
}
