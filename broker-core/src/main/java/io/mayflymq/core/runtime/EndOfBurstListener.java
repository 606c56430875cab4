package io.mayflymq.core.runtime;

/** Something that collects work during a burst and passes it on at the end, in one go. */
@FunctionalInterface
public interface EndOfBurstListener {
  /** Called once at the end of the burst that it was added in; may add members, itself too. */
  void endOfBurst();
}
