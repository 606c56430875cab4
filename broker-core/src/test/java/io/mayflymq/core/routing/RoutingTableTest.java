package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutingTableTest {
  private RoutingTable<String> table = RoutingTable.empty();

  private void exchange(String name, ExchangeType type) {
    table = table.withExchange(ExchangeDefinition.durable(name, type));
  }

  private void autoDelete(String name) {
    table =
        table.withExchange(
            new ExchangeDefinition(name, ExchangeType.FANOUT, true, true, false, FieldTable.EMPTY));
  }

  private void queue(String name) {
    table = table.withQueue(name, name, 0);
  }

  private void bind(Binding... bindings) {
    for (Binding binding : bindings) {
      table = table.withBinding(binding);
    }
  }

  private List<String> route(String exchange, String key) {
    return table.route(exchange, key, MessageProperties.NONE).toList();
  }

  @Test
  void timedQueuesAreCounted() {
    RoutingTable<String> table = RoutingTable.<String>empty().withQueue("q", "1", 10, true);
    assertThat(table.hasTimedQueues()).isTrue();
    assertThat(table.withQueue("q", "1", 10, true)).isSameAs(table);
    assertThat(table.withQueue("q", "2", 20, true).withoutQueue("q").hasTimedQueues()).isFalse();
    RoutingTable<String> changed = table.withQueue("q", "1", 10, false);
    assertThat(changed.hasTimedQueues()).isFalse();
    assertThat(changed.metadataBytes()).isEqualTo(table.metadataBytes());
    assertThat(changed.withQueue("r", "r", 5, true).deleteQueue("q").table().hasTimedQueues())
        .isTrue();
  }

  @Test
  void defaultExchangeRoutesToTheQueueNamedByTheRoutingKey() {
    queue("q");
    assertThat(route("", "q")).containsExactly("q");
    assertThat(route("", "other")).isEmpty();
    assertThat(table.exchange("")).isEqualTo(ExchangeDefinition.DEFAULT);
    assertThat(table.exchange("").type()).isEqualTo(ExchangeType.DIRECT);
    assertThat(table.exchange("").durable()).isTrue();
  }

  @Test
  void defaultExchangeCannotBeChanged() {
    queue("q");
    exchange("x", ExchangeType.FANOUT);
    assertThatThrownBy(() -> table.withExchange(ExchangeDefinition.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> bind(Binding.toQueue("", "q", "k")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> bind(Binding.toExchange("x", "", "k")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(table.withoutExchange("")).isSameAs(table);
    assertThat(table.deleteExchange("").deletedExchanges()).isEmpty();
  }

  @Test
  void commonRoutesAreCreatedOnce() {
    queue("q");
    queue("r");
    exchange("direct", ExchangeType.DIRECT);
    exchange("fanout", ExchangeType.FANOUT);
    bind(Binding.toQueue("direct", "q", "k"), Binding.toQueue("direct", "r", "k"));
    bind(Binding.toQueue("fanout", "q", ""), Binding.toQueue("fanout", "r", ""));
    RoutingTable<String> before = table;
    queue("unrelated");
    for (String exchange : List.of("direct", "fanout")) {
      Route<String> route = before.route(exchange, "k", MessageProperties.NONE);
      assertThat(route.toList()).containsExactlyInAnyOrder("q", "r");
      assertThat(before.route(exchange, "k", MessageProperties.NONE)).isSameAs(route);
      assertThat(table.route(exchange, "k", MessageProperties.NONE)).isSameAs(route);
    }
    assertThat(table.route("", "q", MessageProperties.NONE))
        .isSameAs(before.route("", "q", MessageProperties.NONE));
  }

  @Test
  void replacedQueueIsRoutedToThroughItsBindings() {
    queue("q");
    exchange("x", ExchangeType.TOPIC);
    bind(Binding.toQueue("x", "q", "#"));
    RoutingTable<String> before = table;
    table = table.withQueue("q", "another", 0);
    assertThat(route("x", "k")).containsExactly("another");
    assertThat(route("", "q")).containsExactly("another");
    assertThat(before.route("x", "k", MessageProperties.NONE).toList()).containsExactly("q");
  }

  @Test
  void bindingsBetweenExchangesAreFollowedAndCyclesEnd() {
    List.of("x", "y", "z").forEach(name -> exchange(name, ExchangeType.FANOUT));
    queue("q");
    queue("r");
    bind(
        Binding.toExchange("x", "y", ""),
        Binding.toExchange("y", "z", ""),
        Binding.toExchange("z", "x", ""),
        Binding.toExchange("z", "z", ""),
        Binding.toQueue("y", "q", ""),
        Binding.toQueue("x", "q", "again"),
        Binding.toQueue("z", "r", ""));
    assertThat(route("x", "k")).containsExactlyInAnyOrder("q", "r");
    assertThat(table.route("x", "k", MessageProperties.NONE).isReusable()).isTrue();
  }

  @Test
  void alternateExchangesAreTriedInTurn() {
    List.of("x", "y", "z").forEach(name -> exchange(name, ExchangeType.DIRECT));
    queue("q");
    table = table.withAlternateExchange("x", "y").withAlternateExchange("y", "z");
    table = table.withAlternateExchange("z", "x");
    bind(Binding.toQueue("z", "q", "k"));
    assertThat(route("x", "k")).containsExactly("q");
    assertThat(route("x", "other")).isEmpty();
    table = table.withAlternateExchange("y", "missing");
    assertThat(route("x", "k")).isEmpty();
    table = table.withAlternateExchange("y", "");
    assertThat(route("x", "q")).as("the default exchange as alternate").containsExactly("q");
    table = table.withAlternateExchange("y", null);
    assertThat(route("x", "q")).isEmpty();
  }

  @Test
  void alternateExchangeIsNotUsedIfABindingMatchesWithoutReachingAQueue() {
    List.of("x", "y", "z").forEach(name -> exchange(name, ExchangeType.DIRECT));
    queue("q");
    table = table.withAlternateExchange("x", "z");
    bind(Binding.toExchange("x", "y", "k"), Binding.toQueue("z", "q", "k"));
    assertThat(route("x", "k")).isEmpty();
  }

  @Test
  void messageWithSeveralKeysIsRoutedToEachQueueOnce() {
    exchange("x", ExchangeType.DIRECT);
    exchange("y", ExchangeType.FANOUT);
    List.of("q", "r", "lost").forEach(this::queue);
    table = table.withAlternateExchange("x", "y");
    bind(
        Binding.toQueue("x", "q", "a"),
        Binding.toQueue("x", "q", "b"),
        Binding.toQueue("x", "r", "b"),
        Binding.toQueue("y", "lost", ""));
    assertThat(table.route("x", List.of("a", "b", "none"), MessageProperties.NONE).toList())
        .containsExactlyInAnyOrder("q", "r");
    assertThat(table.route("x", List.of("none"), MessageProperties.NONE).toList())
        .containsExactly("lost");
    assertThat(table.route("", List.of("q", "r", "q", "no"), MessageProperties.NONE).toList())
        .containsExactly("q", "r");
  }

  @Test
  void headersAreOnlyReadByHeadersExchanges() {
    exchange("x", ExchangeType.DIRECT);
    exchange("h", ExchangeType.HEADERS);
    queue("q");
    FieldTable wanted = FieldTable.builder().put("a", "1").build();
    bind(Binding.toQueue("x", "q", "k"), Binding.toExchange("x", "h", "to-h"));
    bind(new Binding("h", DestinationKind.QUEUE, "q", "", wanted));
    MessageProperties matching = () -> BasicProperties.builder().headers(wanted).build();
    MessageProperties unread =
        () -> {
          throw new AssertionError("read");
        };
    assertThat(table.route("x", "k", unread).isReusable()).isTrue();
    assertThat(table.route("x", "to-h", MessageProperties.NONE).isReusable()).isFalse();
    assertThat(table.route("h", "", MessageProperties.NONE).isEmpty()).isTrue();
    assertThat(table.route("h", "", MessageProperties.NONE).isReusable()).isFalse();
    assertThat(table.route("h", "", matching).toList()).containsExactly("q");
    assertThat(table.route("h", "", matching).isReusable()).isFalse();
    assertThat(table.route("", "q", unread).isReusable()).isTrue();
  }

  @Test
  void autoDeleteExchangesAreDeletedWithTheirLastBinding() {
    List.of("x", "y", "z").forEach(this::autoDelete);
    exchange("stays", ExchangeType.FANOUT);
    queue("q");
    queue("r");
    bind(
        Binding.toExchange("stays", "x", ""),
        Binding.toExchange("x", "y", ""),
        Binding.toExchange("y", "z", ""),
        Binding.toQueue("z", "q", ""),
        Binding.toQueue("y", "r", ""));
    Removal<String> first = table.deleteQueue("q");
    assertThat(names(first)).containsExactly("z");
    assertThat(first.deletedBindings())
        .containsExactly(Binding.toQueue("z", "q", ""), Binding.toExchange("y", "z", ""));
    Removal<String> second = first.table().deleteBinding(Binding.toQueue("y", "r", ""));
    assertThat(names(second)).containsExactly("y", "x");
    assertThat(second.table().exchange("stays")).isNotNull();
    assertThat(second.table().bindings()).isEmpty();
    assertThat(second.table().queue("r")).isEqualTo("r");
    assertThat(table.bindings()).hasSize(5);
  }

  private static List<String> names(Removal<String> removal) {
    return removal.deletedExchanges().stream().map(ExchangeDefinition::name).toList();
  }

  @Test
  void autoDeleteExchangeThatNeverHadABindingStays() {
    autoDelete("x");
    exchange("y", ExchangeType.FANOUT);
    bind(Binding.toExchange("y", "x", ""));
    Removal<String> removal = table.deleteExchange("y");
    assertThat(names(removal)).containsExactly("y");
    assertThat(removal.table().exchange("x")).isNotNull();
  }

  @Test
  void deletingAnExchangeRemovesBindingsFromItAndToIt() {
    autoDelete("x");
    exchange("y", ExchangeType.FANOUT);
    queue("q");
    bind(
        Binding.toExchange("x", "y", ""),
        Binding.toExchange("y", "y", ""),
        Binding.toQueue("y", "q", ""));
    Removal<String> removal = table.deleteExchange("y");
    assertThat(names(removal)).containsExactly("y", "x");
    assertThat(removal.deletedBindings()).hasSize(3).doesNotHaveDuplicates();
    assertThat(names(table.deleteExchange("missing"))).isEmpty();
    assertThat(table.deleteExchange("missing").table()).isSameAs(table);
  }

  @Test
  void removalWithoutAutoDeleteLeavesAutoDeleteExchanges() {
    autoDelete("x");
    queue("q");
    bind(Binding.toQueue("x", "q", ""));
    assertThat(table.withoutQueue("q").exchange("x")).isNotNull();
    assertThat(table.withoutQueue("q").bindings()).isEmpty();
    assertThat(table.withoutQueue("missing")).isSameAs(table);
    assertThat(table.withoutBinding(Binding.toQueue("x", "q", "other"))).isSameAs(table);
    assertThat(table.withoutBinding(Binding.toQueue("missing", "q", ""))).isSameAs(table);
  }

  @Test
  void changeWithoutEffectReturnsTheSameTable() {
    queue("q");
    exchange("x", ExchangeType.FANOUT);
    bind(Binding.toQueue("x", "q", ""));
    assertThat(table.withQueue("q", table.queue("q"), 0)).isSameAs(table);
    assertThat(table.withExchange(table.exchange("x"))).isSameAs(table);
    assertThat(table.withBinding(Binding.toQueue("x", "q", ""))).isSameAs(table);
    assertThat(table.withAlternateExchange("x", null)).isSameAs(table);
    assertThatThrownBy(() -> exchange("x", ExchangeType.TOPIC))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void exchangeTypesAreFoundByTheirWireNames() {
    assertThat(ExchangeType.ofWireName("headers")).isEqualTo(ExchangeType.HEADERS);
    assertThat(ExchangeType.ofWireName("Direct")).isNull();
    assertThat(ExchangeType.ofWireName("x-unknown")).isNull();
    assertThat(ExchangeDefinition.predeclared())
        .extracting(ExchangeDefinition::name)
        .contains("amq.direct", "amq.fanout", "amq.topic", "amq.headers", "amq.match");
  }

  @Test
  void alternateExchangeIsReadFromTheArguments() {
    FieldTable arguments = FieldTable.builder().put("alternate-exchange", "ae").build();
    table =
        table.withExchange(
            new ExchangeDefinition("x", ExchangeType.FANOUT, true, false, false, arguments));
    assertThat(table.alternateExchange("x")).isEqualTo("ae");
    FieldTable wrongType = FieldTable.builder().put("alternate-exchange", 1).build();
    assertThat(
            new ExchangeDefinition("x", ExchangeType.FANOUT, true, false, false, wrongType)
                .alternateExchange())
        .isNull();
  }
}
