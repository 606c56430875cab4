package io.mayflymq.core.event;

import io.mayflymq.core.event.TopologyEvent.BindingCreated;
import io.mayflymq.core.event.TopologyEvent.BindingDeleted;
import io.mayflymq.core.event.TopologyEvent.ExchangeCreated;
import io.mayflymq.core.event.TopologyEvent.ExchangeDeleted;
import io.mayflymq.core.event.TopologyEvent.QueueCreated;
import io.mayflymq.core.event.TopologyEvent.QueueDeleted;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Removal;

/**
 * Tells what comes and goes in a virtual host.
 *
 * @param vhost the name of the virtual host
 * @param events where it is told
 */
public record TopologyEvents(String vhost, BrokerEvents events) {
  /** An exchange is there that was not. */
  public void created(ExchangeDefinition exchange, Actor actor) {
    events.happened(new ExchangeCreated(vhost, exchange, actor));
  }

  /** A queue is there that was not. */
  public void created(QueueDefinition queue, Actor actor) {
    events.happened(new QueueCreated(vhost, queue, actor));
  }

  /** A binding is there that was not. */
  public void created(Binding binding, Actor actor) {
    events.happened(new BindingCreated(vhost, binding, actor));
  }

  /** Bindings and exchanges have gone. */
  public void removed(Removal<?> removal, Actor actor) {
    for (Binding binding : removal.deletedBindings()) {
      events.happened(new BindingDeleted(vhost, binding, actor));
    }
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      events.happened(new ExchangeDeleted(vhost, exchange.name(), actor));
    }
  }

  /** A queue has gone. */
  public void deleted(QueueDefinition queue, Actor actor) {
    events.happened(new QueueDeleted(vhost, queue.name(), actor));
  }
}
