package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.segment.SegmentWriter.Unforced;
import java.util.List;

/**
 * The work that the forcing thread of a {@link Flusher} does at once.
 *
 * @param unforced what to force
 * @param commits to be notified after that
 * @param toDelete to be deleted after that
 */
record FlushRound(
    Unforced unforced, List<Commit> commits, List<Segment> toDelete, Purpose purpose) {
  /** The purpose of the round. */
  enum Purpose {
    /** All that was taken has been written. */
    COMMIT,
    /** The writer continues only when what it has written is safe. */
    PROCEED,
    /**
     * Nothing can be written: delete segments that may be deleted nevertheless, to free disk space.
     */
    RELIEVE
  }
}
