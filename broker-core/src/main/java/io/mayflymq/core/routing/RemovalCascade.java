package io.mayflymq.core.routing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * Deletes also the auto-delete exchanges that a removal leaves without a binding (RabbitMQ: an
 * auto-delete exchange is deleted when the last binding from it is removed, never because it had
 * none to begin with).
 */
final class RemovalCascade<Q> {
  private final List<ExchangeDefinition> exchanges = new ArrayList<>();
  private final List<Binding> bindings = new ArrayList<>();
  private final Deque<String> lostBinding = new ArrayDeque<>();
  private RoutingTable<Q> table;

  RemovalCascade(RoutingTable<Q> table) {
    this.table = table;
  }

  Removal<Q> binding(Binding binding) {
    if (table.contains(binding)) {
      table = table.withoutBinding(binding);
      gone(List.of(binding));
    }
    return finish();
  }

  Removal<Q> queue(String name) {
    List<Binding> to = table.bindingsTo(DestinationKind.QUEUE, name);
    table = table.withoutQueue(name);
    gone(to);
    return finish();
  }

  Removal<Q> exchange(String name) {
    drop(name);
    return finish();
  }

  private Removal<Q> finish() {
    for (String name = lostBinding.poll(); name != null; name = lostBinding.poll()) {
      if (table.isUnusedAutoDelete(name)) {
        drop(name);
      }
    }
    return new Removal<>(table, exchanges, bindings);
  }

  private void drop(String name) {
    ExchangeDefinition definition = table.exchange(name);
    if (definition == null || definition.isDefault()) {
      return;
    }
    List<Binding> from = table.bindingsFrom(name);
    List<Binding> to = new ArrayList<>(table.bindingsTo(DestinationKind.EXCHANGE, name));
    to.removeIf(binding -> binding.source().equals(name)); // a binding to itself is in both
    table = table.withoutExchange(name);
    exchanges.add(definition);
    bindings.addAll(from);
    gone(to);
  }

  private void gone(Collection<Binding> removed) {
    bindings.addAll(removed);
    for (Binding binding : removed) {
      lostBinding.add(binding.source());
    }
  }
}
