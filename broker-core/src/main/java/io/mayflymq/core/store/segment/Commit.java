package io.mayflymq.core.store.segment;

/**
 * Who waits for what was written to be safe. Exactly one of the two is called, once, on the
 * flusher's thread, unless the process ends before: in the order of the commits.
 */
public interface Commit {
  /** Everything appended before the commit is safe. */
  void safe();

  /** The log has failed, or was closed while it was blocked: what was appended may be lost. */
  void failed();
}
