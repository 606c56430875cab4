package io.mayflymq.server.definitions;

import java.util.List;

/**
 * The result of an import.
 *
 * @param imported how many items were added or set; exchanges and queues that were there already do
 *     not count
 * @param skipped what was left out and why, a line each
 */
public record ImportReport(int imported, List<String> skipped) {
  public ImportReport {
    skipped = List.copyOf(skipped);
  }
}
