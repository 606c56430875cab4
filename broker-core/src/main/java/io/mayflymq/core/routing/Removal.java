package io.mayflymq.core.routing;

import java.util.List;

/**
 * What a removal took along: with a queue or an exchange go its bindings, and with the last binding
 * of an auto-delete exchange as a source goes that exchange, and so on.
 *
 * @param table the table afterwards; the same one if there was nothing to remove
 * @param deletedExchanges every exchange that is gone, in the order in which they went, the one
 *     that was asked for included
 * @param deletedBindings every binding that is gone, the one that was asked for included
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
