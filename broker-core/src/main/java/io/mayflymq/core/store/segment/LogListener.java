package io.mayflymq.core.store.segment;

import java.io.IOException;

/** Is notified of a log's problems, on the thread that flushes it. */
public interface LogListener {
  /** It was written. */
  String WRITTEN = "it can be written again";

  /** It is given up: what waited for it has been told so. */
  String CLOSED = "it was closed";

  /**
   * Something could not be written, as on a full disk. Everything stays in memory and no commit
   * becomes safe until {@link SegmentLog#retry} succeeds: the owner stops its publishers.
   */
  void blocked(IOException cause);

  /**
   * Nothing waits to be written any more. Called once after each {@link #blocked}.
   *
   * @param why in a few words: it was written, or is given up, as the log has failed or is closed
   */
  void unblocked(String why);

  /**
   * A force has failed. No commit becomes safe any more until the log is opened again; earlier
   * confirms remain valid.
   */
  void failed(LogFailedException cause);
}
