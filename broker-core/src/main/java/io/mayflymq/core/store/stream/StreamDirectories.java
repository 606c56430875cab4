package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.LogDirectory;
import java.io.IOException;

/** Where streams have their directories. Safe for use by several threads. */
public interface StreamDirectories {
  /** Opens a stream's directory; if there is none it is made, safe from the machine's crash. */
  LogDirectory open(long streamId) throws IOException;

  /** Removes a stream's directory with all that is in it, in whole or not at all. */
  void delete(long streamId) throws IOException;
}
