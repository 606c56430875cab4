package io.mayflymq.server.boot;

import io.mayflymq.server.net.StartException;
import java.nio.file.Path;

/**
 * The broker does not start, as it would lose what was confirmed: files of its data directory are
 * missing, damaged, older than others or another broker's. Nothing has been changed.
 */
final class DataRefusedException extends StartException {
  private static final long serialVersionUID = 1L;

  /**
   * @param what which files, and what is wrong with them
   */
  DataRefusedException(Path directory, String what) {
    super(
        "data directory "
            + directory
            + " is not complete: "
            + what
            + ". Nothing was changed. Restore these files from a backup; or look with check-data what"
            + " is left, and start with --accept-loss to go on without the rest");
  }
}
