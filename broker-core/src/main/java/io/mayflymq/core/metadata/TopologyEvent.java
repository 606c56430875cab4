package io.mayflymq.core.metadata;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;

/** An exchange, a queue or a binding was created, changed or deleted. */
sealed interface TopologyEvent extends BrokerEvent {
  /** The virtual host that it is in. */
  String vhost();

  /** The originator. */
  Actor actor();

  /** Adds all but the virtual host and the actor. */
  void describeSubject(FieldTable.Builder properties);

  @Override
  default void describe(FieldTable.Builder properties) {
    properties.put("vhost", vhost());
    describeSubject(properties);
    actor().sign(properties);
  }

  /** A queue was created. An exclusive one belongs to the actor. */
  record QueueCreated(String vhost, QueueDefinition queue, Actor actor) implements TopologyEvent {
    @Override
    public String name() {
      return "queue.created";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties
          .put("name", queue.name())
          .put("durable", queue.durable())
          .put("auto_delete", queue.autoDelete())
          .put("arguments", ErlangTable.of(queue.arguments()))
          .put("owner_pid", queue.exclusive() ? actor.pid() : "")
          .put("exclusive", queue.exclusive());
    }
  }

  /** A queue was deleted: by a client, by its lease, or with its last consumer or connection. */
  record QueueDeleted(String vhost, QueueDefinition queue, Actor actor) implements TopologyEvent {
    @Override
    public String name() {
      return "queue.deleted";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties.put("name", queue.name());
    }
  }

  /** A queue has taken arguments over from a declaration. An event of this broker only. */
  record QueueAdopted(String vhost, QueueDefinition queue, FieldTable before, Actor actor)
      implements TopologyEvent {
    @Override
    public String name() {
      return "queue.adopted";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties
          .put("name", queue.name())
          .put("arguments", ErlangTable.of(queue.arguments()))
          .put("arguments_before", ErlangTable.of(before));
    }
  }

  /** A queue was declared otherwise, and stays what it is. An event of this broker only. */
  record QueueKept(String vhost, QueueDefinition queue, List<String> differing, Actor actor)
      implements TopologyEvent {
    @Override
    public String name() {
      return "queue.kept";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties
          .put("name", queue.name())
          .put("arguments", ErlangTable.of(queue.arguments()))
          .put("differing", String.join(",", differing));
    }
  }

  /** An exchange was created. */
  record ExchangeCreated(String vhost, ExchangeDefinition exchange, Actor actor)
      implements TopologyEvent {
    @Override
    public String name() {
      return "exchange.created";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties
          .put("name", exchange.name())
          .put("type", exchange.type().wireName())
          .put("durable", exchange.durable())
          .put("auto_delete", exchange.autoDelete())
          .put("internal", exchange.internal())
          .put("arguments", ErlangTable.of(exchange.arguments()));
    }
  }

  /** An exchange was deleted, perhaps with the last binding from it. */
  record ExchangeDeleted(String vhost, String exchange, Actor actor) implements TopologyEvent {
    @Override
    public String name() {
      return "exchange.deleted";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      properties.put("name", exchange);
    }
  }

  /** A binding was created. */
  record BindingCreated(String vhost, Binding binding, Actor actor) implements TopologyEvent {
    @Override
    public String name() {
      return "binding.created";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      put(properties, binding);
    }
  }

  /** A binding was deleted, perhaps with its source or destination. */
  record BindingDeleted(String vhost, Binding binding, Actor actor) implements TopologyEvent {
    @Override
    public String name() {
      return "binding.deleted";
    }

    @Override
    public void describeSubject(FieldTable.Builder properties) {
      put(properties, binding);
    }
  }

  private static void put(FieldTable.Builder properties, Binding binding) {
    properties
        .put("source_name", binding.source())
        .put("source_kind", "exchange")
        .put("destination_name", binding.destination())
        .put("destination_kind", binding.destinationKind().toString())
        .put("routing_key", binding.routingKey())
        .put("arguments", ErlangTable.of(binding.arguments()));
  }
}
