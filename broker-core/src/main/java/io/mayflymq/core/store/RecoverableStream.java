package io.mayflymq.core.store;

/** A stream as its store sees it. */
@FunctionalInterface
public interface RecoverableStream {
  /** Called when further messages are safe, within a burst of the shard. */
  void safe();
}
