package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.file.LogDirectory;
import io.mayflymq.core.store.segment.file.LogIdentity;
import java.io.IOException;

/** Where streams have their directories. Safe for use by several threads. */
public interface StreamDirectories {
  /** Opens a stream's directory; if there is none it is made, safe from the machine's crash. */
  LogDirectory open(long streamId) throws IOException;

  /** What a stream's files are known by. */
  LogIdentity identity(long streamId);

  /**
   * A stream's directory must be there from now on.
   *
   * @param logId the random id of its log
   * @throws IOException if that cannot be made safe
   */
  void keep(long streamId, long logId) throws IOException;

  /** The sequence number of metadata of this moment. */
  long metadataSequence();

  /** Removes a stream's directory with all that is in it, in whole or not at all. */
  void delete(long streamId) throws IOException;
}
