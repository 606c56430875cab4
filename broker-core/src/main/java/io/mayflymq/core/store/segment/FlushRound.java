package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.segment.SegmentWriter.Unforced;
import io.mayflymq.core.store.segment.file.Segment;
import java.util.List;

/**
 * What the forcer of a {@link Flusher} does at once.
 *
 * @param unforced what to force
 * @param commits to be told then
 * @param toDelete to be deleted then
 */
record FlushRound(
    Unforced unforced, List<Commit> commits, List<Segment> toDelete, Purpose purpose) {
  /** What it is for. */
  enum Purpose {
    /** All that was taken has been written. */
    COMMIT,
    /** The writer goes on only when what it has written is safe. */
    PROCEED,
    /** Nothing can be written: room is made by what may go nevertheless. */
    RELIEVE
  }
}
