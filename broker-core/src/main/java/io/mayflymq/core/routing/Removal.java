package io.mayflymq.core.routing;

import java.util.List;

/**
 * The result of a removal: with a queue or an exchange its bindings are removed, and with the last
 * binding of an auto-delete exchange as a source that exchange, and so on.
 *
 * @param table the table afterwards; the same one if there was nothing to remove
 * @param deletedExchanges all deleted exchanges, in the order of deletion, including the requested
 *     one
 * @param deletedBindings all deleted bindings, including the requested one
 */
public record Removal<Q>(
    RoutingTable<Q> table,
    List<ExchangeDefinition> deletedExchanges,
    List<Binding> deletedBindings) {

  public Removal {
    deletedExchanges = List.copyOf(deletedExchanges);
    deletedBindings = List.copyOf(deletedBindings);
  }
}
