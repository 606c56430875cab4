package io.mayflymq.core.routing;

/**
 * An exchange of a table.
 *
 * @param alternate name of the exchange that takes what goes nowhere from here, or null
 * @param index its bindings as a source
 */
record ExchangeNode<Q>(ExchangeDefinition definition, String alternate, BindingIndex<Q> index) {
  static <Q> ExchangeNode<Q> of(ExchangeDefinition definition) {
    return new ExchangeNode<>(
        definition,
        definition.alternateExchange(),
        definition.type().newIndex(definition.arguments()));
  }

  /** Whether messages that ask for it wait here. */
  boolean delays() {
    return definition.type() == ExchangeType.X_DELAYED_MESSAGE;
  }

  ExchangeNode<Q> withIndex(BindingIndex<Q> changed) {
    return new ExchangeNode<>(definition, alternate, changed);
  }

  ExchangeNode<Q> withAlternate(String changed) {
    return new ExchangeNode<>(definition, changed, index);
  }

  boolean isUnusedAutoDelete() {
    return definition.autoDelete() && index.isEmpty();
  }
}
