package io.mayflymq.server.management.cluster;

import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.QueueFields;
import java.util.Map;

/** A queue in a list, wherever it is. */
public sealed interface QueueRow {
  /** Returns the queue. */
  Queue queue();

  /** Returns what the list shows of it. */
  Map<String, Object> object();

  /** Returns the value of a field by its path, to sort by. */
  default Object key(String field) {
    return Listing.field(object(), field);
  }

  /** A queue of this node. */
  record Here(QueueSnapshot snapshot, QueueForm form, History history) implements QueueRow {
    @Override
    public Queue queue() {
      return snapshot.queue();
    }

    @Override
    public Map<String, Object> object() {
      return form.of(snapshot, history);
    }

    @Override
    public Object key(String field) {
      return QueueFields.sortKey(field).of(snapshot);
    }
  }

  /**
   * A queue of another node.
   *
   * @param text what that node has told, as JSON
   */
  record There(Queue queue, String text) implements QueueRow {
    @Override
    public Map<String, Object> object() {
      return RowTexts.read(text) instanceof Map<?, ?> object ? Json.asObject(object) : Map.of();
    }
  }

  /** A queue whose node does not answer. */
  record Down(Queue queue) implements QueueRow {
    @Override
    public Map<String, Object> object() {
      return QueueFields.down(queue);
    }
  }
}
