package io.mayflymq.server.definitions;

import java.util.List;

/**
 * The result of an import.
 *
 * @param imported the number of items that were added or set, without exchanges and queues that
 *     existed before
 * @param skipped the omitted items with the reasons, one line each
 * @param invalid how many of them were left out because they are not valid
 */
public record ImportReport(int imported, List<String> skipped, int invalid) {
  public ImportReport {
    skipped = List.copyOf(skipped);
  }
}
