package io.mayflymq.server.management.cluster;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import java.util.Map;

/** The columns of a list that nodes send to one another. */
final class ListColumns {
  private ListColumns() {}

  /**
   * Returns the columns that a request wants. A list that is sorted needs others too: then all are
   * sent.
   */
  static Map<String, Object> of(Request request, Map<String, Object> object) {
    if (request.query("sort") != null) {
      return object;
    }
    return Listing.columns(request, object) instanceof Map<?, ?> chosen
        ? Json.asObject(chosen)
        : Map.of();
  }
}
