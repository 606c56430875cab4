package io.mayflymq.core.routing;

import io.mayflymq.core.queue.IdleLease;

/**
 * An exchange of a table.
 *
 * @param alternate name of the exchange that takes unroutable messages, or null
 * @param lease how long it may stay unused, or null for no limit
 * @param index its bindings as a source
 */
record ExchangeNode<Q>(
    ExchangeDefinition definition, String alternate, IdleLease lease, BindingIndex<Q> index) {
  static <Q> ExchangeNode<Q> of(ExchangeDefinition definition) {
    return new ExchangeNode<>(
        definition,
        definition.alternateExchange(),
        null,
        definition.type().newIndex(definition.arguments()));
  }

  /** Whether it delays messages that request a delay. */
  boolean delays() {
    return definition.type() == ExchangeType.X_DELAYED_MESSAGE;
  }

  ExchangeNode<Q> withIndex(BindingIndex<Q> changed) {
    return new ExchangeNode<>(definition, alternate, lease, changed);
  }

  ExchangeNode<Q> withAlternate(String changed) {
    return new ExchangeNode<>(definition, changed, lease, index);
  }

  ExchangeNode<Q> withLease(IdleLease changed) {
    return new ExchangeNode<>(definition, alternate, changed, index);
  }

  /** Whether it neither delays nor keeps messages. */
  boolean isPlain() {
    return !delays() && lease == null && index.history() == null;
  }

  boolean isUnusedAutoDelete() {
    return definition.autoDelete() && index.isEmpty();
  }
}
