package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Random changes to a table and to a naive model, which must then route alike. */
class RoutingTablePropertyTest {
  private static final long QUEUE_BYTES = 7;

  /** Those whose routes follow from bindings and messages alone. */
  private static final List<ExchangeType> MODELLED =
      List.of(
          ExchangeType.DIRECT,
          ExchangeType.FANOUT,
          ExchangeType.TOPIC,
          ExchangeType.HEADERS,
          ExchangeType.X_RECENT_HISTORY);

  private static final List<String> NAMES = List.of("a", "b", "c", "d");
  private static final List<String> KEYS = List.of("", "a", "b", "a.b", "b.a.b", "c.", "..");
  private static final List<FieldTable> HEADERS =
      List.of(FieldTable.EMPTY, table("h", "1"), table("h", "1", "i", "2"), table("i", "1"));

  private sealed interface Command {
    record AddExchange(ExchangeDefinition definition) implements Command {}

    record SetAlternate(String exchange, String alternate) implements Command {}

    record RemoveExchange(String name, boolean cascade) implements Command {}

    record AddQueue(String name) implements Command {}

    record RemoveQueue(String name, boolean cascade) implements Command {}

    record Bind(Binding binding) implements Command {}

    /** Removes a binding that is there: the given place in the list of them, wrapped around. */
    record Unbind(int pick, boolean cascade) implements Command {}
  }

  private static FieldTable table(String... namesAndValues) {
    FieldTable.Builder table = FieldTable.builder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      table.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return table.build();
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<String> name = Arbitraries.of(NAMES);
    Arbitrary<Boolean> flag = Arbitraries.of(true, false);
    Arbitrary<String> alternate = Arbitraries.of("a", "b", "c", "missing", "").injectNull(0.6);
    Arbitrary<Command> addExchange =
        Combinators.combine(name, Arbitraries.of(MODELLED), flag, alternate)
            .as(
                (n, type, autoDelete, other) ->
                    new Command.AddExchange(
                        new ExchangeDefinition(
                            n,
                            type,
                            false,
                            autoDelete,
                            false,
                            other == null
                                ? FieldTable.EMPTY
                                : table(ExchangeDefinition.ALTERNATE_EXCHANGE, other))));
    Arbitrary<String> key =
        Arbitraries.of("", "a", "b", "a.b", "*", "#", "a.#", "#.b", "*.*", "#.a.#", "#.#", "c.*");
    Arbitrary<FieldTable> arguments =
        Arbitraries.of(
            FieldTable.EMPTY,
            table("h", "1"),
            table("h", "1", "x-match", "any", "i", "2"),
            table("h", "1", "x-match", "all", "i", "2"));
    Arbitrary<Binding> binding =
        Combinators.combine(name, Arbitraries.of(DestinationKind.values()), name, key, arguments)
            .as(Binding::new);
    return Arbitraries.frequencyOf(
            Tuple.of(4, addExchange),
            Tuple.of(1, Combinators.combine(name, alternate).as(Command.SetAlternate::new)),
            Tuple.of(1, Combinators.combine(name, flag).as(Command.RemoveExchange::new)),
            Tuple.of(3, name.map(Command.AddQueue::new)),
            Tuple.of(1, Combinators.combine(name, flag).as(Command.RemoveQueue::new)),
            Tuple.of(10, binding.map(Command.Bind::new)),
            Tuple.of(
                3,
                Combinators.combine(Arbitraries.integers().between(0, 20), flag)
                    .as(Command.Unbind::new)))
        .list()
        .ofMinSize(5)
        .ofMaxSize(40);
  }

  @Property(tries = 400)
  void routingTableRoutesLikeTheModel(@ForAll("commands") List<Command> commands) {
    NaiveRouting model = new NaiveRouting();
    RoutingTable<Object> table = RoutingTable.empty();
    List<RoutingTable<Object>> tables = new ArrayList<>();
    List<List<Set<Object>>> routes = new ArrayList<>();
    for (Command command : commands) {
      table = apply(command, table, model);
      assertSameContents(table, model);
      List<Set<Object>> routed = routeAll(table);
      assertThat(routed).isEqualTo(routeAll(model));
      tables.add(table);
      routes.add(routed);
    }
    for (int i = 0; i < tables.size(); i++) {
      assertThat(routeAll(tables.get(i))).as("table %s, later", i).isEqualTo(routes.get(i));
    }
  }

  private static RoutingTable<Object> apply(
      Command command, RoutingTable<Object> table, NaiveRouting model) {
    if (command instanceof Command.AddExchange add) {
      return addExchange(add.definition(), table, model);
    } else if (command instanceof Command.SetAlternate set) {
      if (!model.exchanges.containsKey(set.exchange())) {
        return table;
      }
      model.setAlternate(set.exchange(), set.alternate());
      return table.withAlternateExchange(set.exchange(), set.alternate());
    } else if (command instanceof Command.AddQueue add) {
      Object handle = new Object();
      model.queues.put(add.name(), handle);
      return table.withQueue(add.name(), handle, QUEUE_BYTES);
    } else if (command instanceof Command.Bind bind) {
      return bind(bind.binding(), table, model);
    }
    return remove(command, table, model);
  }

  private static RoutingTable<Object> addExchange(
      ExchangeDefinition definition, RoutingTable<Object> table, NaiveRouting model) {
    ExchangeDefinition present = model.exchanges.get(definition.name());
    if (present == null) {
      model.addExchange(definition);
    } else if (!present.equals(definition)) {
      assertThatThrownBy(() -> table.withExchange(definition))
          .isInstanceOf(IllegalArgumentException.class);
      return table;
    } else {
      assertThat(table.withExchange(definition)).isSameAs(table);
    }
    return table.withExchange(definition);
  }

  private static RoutingTable<Object> bind(
      Binding binding, RoutingTable<Object> table, NaiveRouting model) {
    if (!model.canBind(binding)) {
      assertThatThrownBy(() -> table.withBinding(binding))
          .isInstanceOf(IllegalArgumentException.class);
      return table;
    }
    boolean isNew = model.bindings.add(binding);
    RoutingTable<Object> bound = table.withBinding(binding);
    assertThat(bound == table).isEqualTo(!isNew);
    return bound;
  }

  private static RoutingTable<Object> remove(
      Command command, RoutingTable<Object> table, NaiveRouting model) {
    Set<ExchangeDefinition> exchangesBefore = new HashSet<>(model.exchanges.values());
    Set<Binding> bindingsBefore = new HashSet<>(model.bindings);
    Removal<Object> removal = null;
    RoutingTable<Object> plain = null;
    if (command instanceof Command.RemoveExchange remove) {
      model.removeExchange(remove.name(), remove.cascade());
      removal = remove.cascade() ? table.deleteExchange(remove.name()) : null;
      plain = table.withoutExchange(remove.name());
    } else if (command instanceof Command.RemoveQueue remove) {
      model.removeQueue(remove.name(), remove.cascade());
      removal = remove.cascade() ? table.deleteQueue(remove.name()) : null;
      plain = table.withoutQueue(remove.name());
    } else if (command instanceof Command.Unbind unbind) {
      Binding binding = pick(unbind.pick(), model);
      model.removeBindings(List.of(binding), unbind.cascade());
      removal = unbind.cascade() ? table.deleteBinding(binding) : null;
      plain = table.withoutBinding(binding);
    }
    if (removal == null) {
      return plain;
    }
    exchangesBefore.removeAll(new HashSet<>(model.exchanges.values()));
    bindingsBefore.removeAll(model.bindings);
    assertThat(removal.deletedExchanges()).containsExactlyInAnyOrderElementsOf(exchangesBefore);
    assertThat(removal.deletedBindings()).containsExactlyInAnyOrderElementsOf(bindingsBefore);
    return removal.table();
  }

  private static Binding pick(int pick, NaiveRouting model) {
    return model.bindings.isEmpty()
        ? Binding.toQueue("a", "a", "absent")
        : List.copyOf(model.bindings).get(pick % model.bindings.size());
  }

  private static void assertSameContents(RoutingTable<Object> table, NaiveRouting model) {
    assertThat(table.queueCount()).isEqualTo(model.queues.size());
    assertThat(table.queues()).containsExactlyInAnyOrderElementsOf(model.queues.values());
    assertThat(table.exchangeCount()).isEqualTo(model.exchanges.size() + 1);
    List<ExchangeDefinition> exchanges = new ArrayList<>(model.exchanges.values());
    exchanges.add(ExchangeDefinition.DEFAULT);
    assertThat(table.exchanges()).containsExactlyInAnyOrderElementsOf(exchanges);
    assertThat(table.bindings()).containsExactlyInAnyOrderElementsOf(model.bindings);
    assertThat(table.bindingCount()).isEqualTo(model.bindings.size());
    assertThat(table.metadataBytes())
        .isEqualTo(
            QUEUE_BYTES * model.queues.size()
                + model.exchanges.values().stream().mapToLong(MetadataSize::of).sum()
                + model.bindings.stream().mapToLong(MetadataSize::of).sum());
    for (String name : NAMES) {
      assertThat(table.queue(name)).isSameAs(model.queues.get(name));
      assertThat(table.exchange(name)).isEqualTo(model.exchanges.get(name));
      assertThat(table.alternateExchange(name)).isEqualTo(model.alternates.get(name));
      assertThat(table.bindingsFrom(name)).containsExactlyInAnyOrderElementsOf(model.from(name));
      for (DestinationKind kind : DestinationKind.values()) {
        assertThat(table.bindingsTo(kind, name))
            .containsExactlyInAnyOrderElementsOf(model.to(kind, name));
      }
    }
  }

  private static List<Set<Object>> routeAll(RoutingTable<Object> table) {
    List<Set<Object>> all = new ArrayList<>();
    for (String exchange : List.of("", "a", "b", "c", "d")) {
      for (FieldTable headers : HEADERS) {
        MessageProperties properties = () -> BasicProperties.builder().headers(headers).build();
        for (String key : KEYS) {
          all.add(distinct(table.route(exchange, key, properties)));
        }
        all.add(distinct(table.route(exchange, List.of("a", "a.b"), properties)));
      }
    }
    return all;
  }

  private static Set<Object> distinct(Route<Object> route) {
    List<Object> queues = route.toList();
    assertThat(queues).hasSize(route.size()).doesNotHaveDuplicates();
    return new HashSet<>(queues);
  }

  private static List<Set<Object>> routeAll(NaiveRouting model) {
    List<Set<Object>> all = new ArrayList<>();
    for (String exchange : List.of("", "a", "b", "c", "d")) {
      for (FieldTable headers : HEADERS) {
        for (String key : KEYS) {
          all.add(model.route(exchange, List.of(key), headers));
        }
        all.add(model.route(exchange, List.of("a", "a.b"), headers));
      }
    }
    return all;
  }
}
