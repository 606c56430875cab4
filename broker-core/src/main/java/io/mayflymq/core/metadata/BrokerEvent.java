package io.mayflymq.core.metadata;

import io.mayflymq.protocol.types.FieldTable;

/**
 * An event. Immutable, and cheap to create: its properties are computed only if there is a
 * listener.
 *
 * <p>Source of all names and properties: RabbitMQ, "Event Exchange Plugin".
 */
public interface BrokerEvent {
  /** The property with the name of the user who caused the event, see {@link Actor}. */
  String ACTOR = "user_who_performed_action";

  /** Returns the name of the event, such as {@code queue.created}: the routing key. */
  String name();

  /** Adds the properties, under RabbitMQ's names. */
  void describe(FieldTable.Builder properties);
}
