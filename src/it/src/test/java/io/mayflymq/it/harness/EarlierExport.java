package io.mayflymq.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Definitions that were exported by RabbitMQ 3.13 or earlier, or by MayflyMQ 0.1. */
public final class EarlierExport {
  private EarlierExport() {}

  /**
   * Returns them as they are exported today: each queue has its type, also among its arguments. So
   * have virtual hosts their limits, which are compared as parameters: they are left out.
   */
  public static JsonNode asToday(JsonNode definitions) {
    JsonNode today = definitions.deepCopy();
    for (JsonNode queue : today.path("queues")) {
      ObjectNode arguments = (ObjectNode) queue.path("arguments");
      String type = arguments.path("x-queue-type").asText("classic");
      arguments.put("x-queue-type", type);
      ((ObjectNode) queue).put("type", type);
    }
    today.path("vhosts").forEach(vhost -> ((ObjectNode) vhost).remove("limits"));
    return today;
  }
}
