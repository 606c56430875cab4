package io.mayflymq.core.store;

/** A stream as its store sees it. */
@FunctionalInterface
public interface RecoverableStream {
  /** More of it is safe than before. Within a burst of the shard. */
  void safe();
}
