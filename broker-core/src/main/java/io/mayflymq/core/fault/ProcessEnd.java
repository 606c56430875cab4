package io.mayflymq.core.fault;

/** Ends the process at once; nothing that is safe on the disk is lost by that. */
@FunctionalInterface
public interface ProcessEnd {
  /**
   * Ends it, with an exit code that tells a supervisor to start it again. Any thread may call. In
   * the broker it does not return; a test's may.
   *
   * @param what what has failed, in a few words
   * @param cause why; null if there was no exception
   */
  void now(String what, Throwable cause);
}
