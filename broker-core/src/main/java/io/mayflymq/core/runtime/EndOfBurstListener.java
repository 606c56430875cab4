package io.mayflymq.core.runtime;

/** Collects work during a burst and passes it on at the end, all at once. */
@FunctionalInterface
public interface EndOfBurstListener {
  /** Called once at the end of the burst that it was added in; may add listeners, also itself. */
  void endOfBurst();
}
