package io.mayflymq.server.alarm;

import io.mayflymq.core.metadata.BrokerEvent;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.config.NodeName;

/**
 * Publishes an event for each alarm that is raised or cleared. Those of other nodes are published
 * there.
 */
public record AlarmEvents(BrokerEvents events) implements Alarms.Listener {
  private record AlarmEvent(String name, Alarm alarm) implements BrokerEvent {
    @Override
    public void describe(FieldTable.Builder properties) {
      properties.put("source", alarm.source()).put("node", NodeName.value());
    }
  }

  @Override
  public void raised(Alarm alarm) {
    tell("alarm.set", alarm);
  }

  @Override
  public void cleared(Alarm alarm) {
    tell("alarm.cleared", alarm);
  }

  private void tell(String name, Alarm alarm) {
    if (!(alarm instanceof Alarm.OfNode)) {
      events.happened(new AlarmEvent(name, alarm));
    }
  }
}
