package io.mayflymq.shovel;

import io.mayflymq.core.metadata.BrokerEvent;
import io.mayflymq.protocol.types.FieldTable;

/**
 * A shovel has entered another state, or is gone: RabbitMQ's {@code shovel.worker.status} and
 * {@code shovel.worker.removed}.
 */
record ShovelEvent(String name, String vhost, String shovel, String status, String reason)
    implements BrokerEvent {
  static ShovelEvent entered(ShovelStatus status) {
    return new ShovelEvent(
        "shovel.worker.status",
        status.vhost(),
        status.name(),
        status.state().wireName(),
        status.reason());
  }

  static ShovelEvent removed(String vhost, String shovel) {
    return new ShovelEvent("shovel.worker.removed", vhost, shovel, "", "");
  }

  @Override
  public void describe(FieldTable.Builder properties) {
    properties.put("vhost", vhost).put("name", shovel);
    if (!status.isEmpty()) {
      properties.put("status", status);
    }
    if (!reason.isEmpty()) {
      properties.put("reason", reason);
    }
  }
}
