package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A routing table as lists and loops, for comparison. Mutable. */
final class NaiveRouting {
  final Map<String, Object> queues = new TreeMap<>();
  final Map<String, ExchangeDefinition> exchanges = new TreeMap<>();
  final Map<String, String> alternates = new TreeMap<>();
  final Set<Binding> bindings = new LinkedHashSet<>();

  void addExchange(ExchangeDefinition definition) {
    exchanges.put(definition.name(), definition);
    setAlternate(definition.name(), definition.alternateExchange());
  }

  void setAlternate(String exchange, String alternate) {
    if (alternate == null) {
      alternates.remove(exchange);
    } else {
      alternates.put(exchange, alternate);
    }
  }

  boolean canBind(Binding binding) {
    return exchanges.containsKey(binding.source())
        && (binding.destinationKind() == DestinationKind.QUEUE
            ? queues.containsKey(binding.destination())
            : exchanges.containsKey(binding.destination()));
  }

  List<Binding> bindings(Predicate<Binding> condition) {
    return bindings.stream().filter(condition).toList();
  }

  List<Binding> from(String exchange) {
    return bindings(binding -> binding.source().equals(exchange));
  }

  List<Binding> to(DestinationKind kind, String name) {
    return bindings(
        binding -> binding.destinationKind() == kind && binding.destination().equals(name));
  }

  void removeQueue(String name, boolean cascade) {
    queues.remove(name);
    removeBindings(to(DestinationKind.QUEUE, name), cascade);
  }

  void removeExchange(String name, boolean cascade) {
    if (exchanges.remove(name) == null) {
      return;
    }
    alternates.remove(name);
    removeBindings(from(name), false);
    removeBindings(to(DestinationKind.EXCHANGE, name), cascade);
  }

  void removeBindings(List<Binding> removed, boolean cascade) {
    List<Binding> present = new ArrayList<>(removed);
    present.retainAll(bindings);
    present.forEach(bindings::remove);
    if (cascade) {
      for (Binding binding : present) {
        ExchangeDefinition source = exchanges.get(binding.source());
        if (source != null && source.autoDelete() && from(source.name()).isEmpty()) {
          removeExchange(source.name(), true);
        }
      }
    }
  }

  Set<Object> route(String exchange, List<String> keys, FieldTable headers) {
    Set<String> reached = new LinkedHashSet<>(List.of(exchange));
    Set<Object> result = new HashSet<>();
    List<String> toVisit = new ArrayList<>(reached);
    while (!toVisit.isEmpty()) {
      String name = toVisit.remove(0);
      for (String next : visit(name, keys, headers, result)) {
        if (reached.add(next)) {
          toVisit.add(next);
        }
      }
    }
    return result;
  }

  private List<String> visit(
      String name, List<String> keys, FieldTable headers, Set<Object> result) {
    if (name.isEmpty()) {
      keys.stream().filter(queues::containsKey).map(queues::get).forEach(result::add);
      return List.of();
    }
    if (!exchanges.containsKey(name)) {
      return List.of();
    }
    ExchangeType type = exchanges.get(name).type();
    List<Binding> matching =
        bindings(
            binding ->
                binding.source().equals(name)
                    && keys.stream().anyMatch(key -> matches(type, binding, key, headers)));
    List<String> next = new ArrayList<>();
    for (Binding binding : matching) {
      if (binding.destinationKind() == DestinationKind.QUEUE) {
        result.add(queues.get(binding.destination()));
      } else {
        next.add(binding.destination());
      }
    }
    if (matching.isEmpty() && alternates.containsKey(name)) {
      next.add(alternates.get(name));
    }
    return next;
  }

  private static boolean matches(
      ExchangeType type, Binding binding, String key, FieldTable headers) {
    return switch (type) {
      case DIRECT -> binding.routingKey().equals(key);
      case FANOUT, X_RECENT_HISTORY -> true;
      case TOPIC -> NaiveTopic.matches(binding.routingKey(), key);
      case HEADERS -> matchesHeaders(binding.arguments(), headers);
      default -> throw new IllegalArgumentException("not modelled: " + type);
    };
  }

  /** For arguments of the test only: strings, and names without x- but for x-match. */
  private static boolean matchesHeaders(FieldTable arguments, FieldTable headers) {
    List<String> names = arguments.names().stream().filter(n -> !n.equals("x-match")).toList();
    Predicate<String> holds = name -> arguments.get(name).equals(headers.get(name));
    return FieldValue.of("any").equals(arguments.get("x-match"))
        ? names.stream().anyMatch(holds)
        : names.stream().allMatch(holds);
  }
}
