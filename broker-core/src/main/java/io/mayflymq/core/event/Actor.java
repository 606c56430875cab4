package io.mayflymq.core.event;

import io.mayflymq.protocol.types.FieldTable;

/** Who does something to a broker: a connection, or a request of the management API. */
public interface Actor {
  /** The broker itself, as RabbitMQ calls it: where a queue's lease ends, for example. */
  Actor BROKER = () -> "rmq-internal";

  /** The name of the user. */
  String user();

  /** The name of the connection in the form of RabbitMQ's process identifiers; empty for none. */
  default String pid() {
    return "";
  }

  /** The actor that something stands for; the broker if it stands for none. */
  static Actor of(Object connection) {
    return connection instanceof Actor actor ? actor : BROKER;
  }

  /** Says in an event that it was he. */
  default void sign(FieldTable.Builder properties) {
    properties.put(BrokerEvent.ACTOR, user());
  }
}
