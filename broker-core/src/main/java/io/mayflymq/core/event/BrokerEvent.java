package io.mayflymq.core.event;

import io.mayflymq.protocol.types.FieldTable;

/**
 * Something that has happened. Immutable, and cheap to make: what it tells is put together only if
 * somebody listens.
 *
 * <p>Source of all names and properties: RabbitMQ, "Event Exchange Plugin".
 */
public interface BrokerEvent {
  /** The property that names who did it, see {@link Actor}. */
  String ACTOR = "user_who_performed_action";

  /** What happened, such as {@code queue.created}: the routing key. */
  String name();

  /** Adds what is known of it, under RabbitMQ's names. */
  void describe(FieldTable.Builder properties);
}
