package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogIdentity;
import java.io.IOException;

/** The directories of streams. Safe for use by several threads. */
public interface StreamDirectories {
  /**
   * Opens a stream's directory; if it does not exist it is created, and safe from a crash of the
   * machine.
   */
  LogDirectory open(long streamId) throws IOException;

  /** Returns what identifies a stream's files. */
  LogIdentity identity(long streamId);

  /**
   * Lists a stream's directory, which must exist from now on.
   *
   * @param logId the random id of its log
   * @throws IOException if that cannot be made safe
   */
  void keep(long streamId, long logId) throws IOException;

  /** Returns the present sequence number of metadata. */
  long metadataSequence();

  /** Deletes a stream's directory with its contents, completely or not at all. */
  void delete(long streamId) throws IOException;
}
