package io.mayflymq.core.metadata;

import io.mayflymq.protocol.types.FieldTable;

/** The originator of an operation on a broker: a connection, or a request of the management API. */
public interface Actor {
  /** The broker itself, with RabbitMQ's name for it: when a queue's lease ends, for example. */
  Actor BROKER = () -> "rmq-internal";

  /** The name of the user. */
  String user();

  /** The name of the connection in the form of RabbitMQ's process identifiers; empty for none. */
  default String pid() {
    return "";
  }

  /** Returns who it is, for the log. */
  default String inWords() {
    return this == BROKER ? "the broker" : "user '%s'".formatted(user());
  }

  /** Returns the actor that an object is; the broker for any other object. */
  static Actor of(Object connection) {
    return connection instanceof Actor actor ? actor : BROKER;
  }

  /** Adds the actor to an event. */
  default void sign(FieldTable.Builder properties) {
    properties.put(BrokerEvent.ACTOR, user());
  }
}
