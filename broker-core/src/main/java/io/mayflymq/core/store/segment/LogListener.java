package io.mayflymq.core.store.segment;

import java.io.IOException;

/** Is notified of a log's problems, on the thread that flushes it. */
public interface LogListener {
  /**
   * Something could not be written, as on a full disk. Everything stays in memory and no commit
   * becomes safe until {@link SegmentLog#retry} succeeds: the owner stops its publishers.
   */
  void blocked(IOException cause);

  /** What could not be written has been written. */
  void unblocked();

  /**
   * A force has failed. No commit becomes safe any more until the log is opened again; earlier
   * confirms remain valid.
   */
  void failed(LogFailedException cause);
}
