package io.mayflymq.core.store;

/** Learns whether what was written became safe. Exactly one of the two is called, on any thread. */
public interface Commit {
  /** Everything that was written before the commit was asked for survives a crash. */
  void safe();

  /** It may not: the disk has failed, and nothing becomes safe any more until a restart. */
  void failed();
}
