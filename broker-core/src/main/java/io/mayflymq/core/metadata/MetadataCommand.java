package io.mayflymq.core.metadata;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;

/** A change of what is durable. Replayed in order, the commands give the state again. */
public sealed interface MetadataCommand {
  /** The virtual host that it is about. */
  String vhost();

  /** A durable exchange was declared. */
  record ExchangeDeclared(String vhost, ExchangeDefinition exchange) implements MetadataCommand {}

  /** A durable exchange was deleted, with its bindings. */
  record ExchangeDeleted(String vhost, String exchange) implements MetadataCommand {}

  /**
   * A durable queue was declared, or lives on another shard now.
   *
   * @param id the number that its messages are kept under; no two queues ever have the same
   * @param shard the shard that it lives on
   */
  record QueueDeclared(String vhost, QueueDefinition queue, long id, int shard)
      implements MetadataCommand {}

  /** A durable queue was deleted, with its bindings. */
  record QueueDeleted(String vhost, String queue) implements MetadataCommand {}

  /** A binding between durable things was made. */
  record Bound(String vhost, Binding binding) implements MetadataCommand {}

  /** Such a binding was removed. */
  record Unbound(String vhost, Binding binding) implements MetadataCommand {}
}
