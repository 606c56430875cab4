package io.mayflymq.core.runtime;

/** Ends the process at once; everything that is safe on the disk is kept. */
@FunctionalInterface
public interface ProcessEnd {
  /**
   * Ends the process, with an exit code after which a supervisor restarts it. Any thread may call.
   * In the broker it does not return; in a test it may.
   *
   * @param what the operation that failed, in a few words
   * @param cause why; null if there was no exception
   */
  void now(String what, Throwable cause);
}
