package io.mayflymq.server.definitions;

import java.util.List;

/**
 * What came of an import.
 *
 * @param imported how many items were taken over, those included that were there already
 * @param skipped what was left out and why, a line each
 */
public record ImportReport(int imported, List<String> skipped) {
  public ImportReport {
    skipped = List.copyOf(skipped);
  }
}
