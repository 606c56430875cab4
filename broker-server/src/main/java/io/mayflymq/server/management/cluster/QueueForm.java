package io.mayflymq.server.management.cluster;

import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.QueueFields;
import java.util.Map;

/** How much a list shows of a queue. */
enum QueueForm {
  /** All. */
  SUMMARY,
  /** What it is, and its messages. */
  TOTALS,
  /** What it is. */
  BASICS;

  /** Returns the one that a request asks for: all, unless it wants no statistics. */
  public static QueueForm of(Request request) {
    if (!request.flag("disable_stats")) {
      return SUMMARY;
    }
    return request.flag("enable_queue_totals") ? TOTALS : BASICS;
  }

  Map<String, Object> of(QueueSnapshot queue, History history) {
    return switch (this) {
      case SUMMARY -> QueueFields.listed(queue, history);
      case TOTALS -> QueueFields.totals(queue);
      case BASICS -> QueueFields.basics(queue);
    };
  }
}
