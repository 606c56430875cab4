package io.mayflymq.core.store.segment;

/** The state of a log. */
public enum LogState {
  /** Everything works. */
  OPEN,
  /** Something could not be written and waits for {@link SegmentLog#retry}. */
  BLOCKED,
  /** A force has failed: nothing is confirmed any more. */
  FAILED
}
