package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** A log is not opened, because files are missing or belong to another log. Nothing was changed. */
final class LogRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public LogRefusedException(LogDirectory directory, List<Damage> damages) {
    super(
        "the message log in "
            + directory
            + " is not complete: "
            + damages.stream().map(Damage::toString).collect(Collectors.joining(", ")));
  }
}
