package io.mayflymq.core.metadata;

import io.mayflymq.core.metadata.TopologyEvent.BindingCreated;
import io.mayflymq.core.metadata.TopologyEvent.BindingDeleted;
import io.mayflymq.core.metadata.TopologyEvent.ExchangeCreated;
import io.mayflymq.core.metadata.TopologyEvent.ExchangeDeleted;
import io.mayflymq.core.metadata.TopologyEvent.QueueAdopted;
import io.mayflymq.core.metadata.TopologyEvent.QueueCreated;
import io.mayflymq.core.metadata.TopologyEvent.QueueDeleted;
import io.mayflymq.core.metadata.TopologyEvent.QueueKept;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;

/**
 * Publishes events about created and deleted objects of a virtual host.
 *
 * @param vhost the name of the virtual host
 * @param events receives the events
 */
public record TopologyEvents(String vhost, BrokerEvents events) {
  /** Publishes that an exchange was created. */
  public void created(ExchangeDefinition exchange, Actor actor) {
    events.happened(new ExchangeCreated(vhost, exchange, actor));
  }

  /** Publishes that a queue was created. */
  public void created(QueueDefinition queue, Actor actor) {
    events.happened(new QueueCreated(vhost, queue, actor));
  }

  /** Publishes that a binding was created. */
  public void created(Binding binding, Actor actor) {
    events.happened(new BindingCreated(vhost, binding, actor));
  }

  /** Publishes that bindings and exchanges were deleted. */
  public void removed(Removal<?> removal, Actor actor) {
    for (Binding binding : removal.deletedBindings()) {
      events.happened(new BindingDeleted(vhost, binding, actor));
    }
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      events.happened(new ExchangeDeleted(vhost, exchange.name(), actor));
    }
  }

  /**
   * Publishes that a queue has taken arguments over from a declaration.
   *
   * @param queue what it is now
   * @param before the arguments that it had
   */
  public void adopted(QueueDefinition queue, FieldTable before, Actor actor) {
    events.happened(new QueueAdopted(vhost, queue, before, actor));
  }

  /**
   * Publishes that a queue was declared otherwise, and stays what it is.
   *
   * @param differing the names of the arguments or properties that differ
   */
  public void kept(QueueDefinition queue, List<String> differing, Actor actor) {
    events.happened(new QueueKept(vhost, queue, differing, actor));
  }

  /** Publishes that a queue was deleted. */
  public void deleted(QueueDefinition queue, Actor actor) {
    events.happened(new QueueDeleted(vhost, queue, actor));
  }
}
