package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Exchanges that send each message to one of their bindings. */
class ChoiceExchangesTest {
  private static final int KEYS = 20_000;

  private static RoutingTable<String> table(ExchangeType type, FieldTable arguments) {
    return RoutingTable.<String>empty()
        .withExchange(new ExchangeDefinition("x", type, false, false, false, arguments));
  }

  private static RoutingTable<String> bind(RoutingTable<String> table, String queue, String key) {
    return table.withQueue(queue, queue, 0).withBinding(Binding.toQueue("x", queue, key));
  }

  private static RoutingTable<String> hashTable(FieldTable arguments) {
    RoutingTable<String> table = table(ExchangeType.X_CONSISTENT_HASH, arguments);
    return bind(bind(bind(table, "a", "1"), "b", "2"), "c", "5");
  }

  private static String to(RoutingTable<String> table, String key) {
    List<String> queues = table.route("x", key, MessageProperties.NONE).toList();
    assertThat(queues).hasSize(1);
    return queues.get(0);
  }

  private static Map<String, Integer> shares(RoutingTable<String> table) {
    Map<String, Integer> shares = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      shares.merge(to(table, "key" + i), 1, Integer::sum);
    }
    return shares;
  }

  @Test
  void consistentHashDistributesByWeight() {
    Map<String, Integer> shares = shares(hashTable(FieldTable.EMPTY));
    assertThat(shares.get("a")).isCloseTo(KEYS / 8, within(KEYS / 100));
    assertThat(shares.get("b")).isCloseTo(KEYS * 2 / 8, within(KEYS / 100));
    assertThat(shares.get("c")).isCloseTo(KEYS * 5 / 8, within(KEYS / 100));
  }

  @Test
  void unboundDestinationMovesOnlyItsOwnKeysOfAConsistentHash() {
    RoutingTable<String> before = hashTable(FieldTable.EMPTY);
    RoutingTable<String> after = before.withoutQueue("b");
    for (int i = 0; i < KEYS; i++) {
      String was = to(before, "key" + i);
      if (!was.equals("b")) {
        assertThat(to(after, "key" + i)).isEqualTo(was);
      }
    }
    RoutingTable<String> again = bind(after, "b", "2");
    for (int i = 0; i < KEYS; i++) {
      assertThat(to(again, "key" + i)).isEqualTo(to(before, "key" + i));
    }
  }

  @Test
  void destinationBoundTwiceHasItsHigherWeight() {
    RoutingTable<String> table = hashTable(FieldTable.EMPTY);
    RoutingTable<String> twice = bind(table, "c", "1");
    for (int i = 0; i < 1_000; i++) {
      assertThat(to(twice, "key" + i)).isEqualTo(to(table, "key" + i));
    }
  }

  @Test
  void consistentHashCanUseAHeaderOrAProperty() {
    RoutingTable<String> byHeader = hashTable(FieldTable.builder().put("hash-header", "h").build());
    RoutingTable<String> byId =
        hashTable(FieldTable.builder().put("hash-property", "message_id").build());
    Set<String> found = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      String value = "key" + i;
      FieldTable headers = FieldTable.builder().put("h", value).build();
      BasicProperties properties =
          BasicProperties.builder().headers(headers).messageId(value).build();
      Route<String> route = byHeader.route("x", "any" + i, () -> properties);
      assertThat(route.isReusable()).isFalse();
      assertThat(route.toList()).containsExactly(to(hashTable(FieldTable.EMPTY), value));
      assertThat(byId.route("x", "any" + i, () -> properties).toList()).isEqualTo(route.toList());
      found.addAll(byId.route("x", value, MessageProperties.NONE).toList());
    }
    assertThat(found).as("all alike without the property").hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "abc, 'The binding key must be an integer: <<\"abc\">>'",
    "'', 'The binding key must be an integer: <<>>'",
    "1.5, 'The binding key must be an integer: <<\"1.5\">>'",
    "0, The binding key must be greater than 0",
    "-3, The binding key must be greater than 0",
    "10001, The binding key must not exceed 10000",
    "99999999999999999999999, The binding key must not exceed 10000"
  })
  void weightOfAConsistentHashIsAnIntegerFrom1To10000(String key, String text) {
    assertThatThrownBy(
            () -> ExchangeType.X_CONSISTENT_HASH.validate(Binding.toQueue("x", "q", key)))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining(text);
  }

  @Test
  void invalidArgumentsOfAConsistentHashAreRefused() {
    assertRefused(
        FieldTable.builder().put("hash-header", "h").put("hash-property", "timestamp").build(),
        "hash-header and hash-property are mutually exclusive");
    assertRefused(
        FieldTable.builder().put("hash-property", "app_id").build(),
        "Unsupported property: app_id");
    assertRefused(
        FieldTable.builder().put("hash-header", 1).build(),
        "invalid type 'signedint' for arg 'hash-header'");
  }

  private static void assertRefused(FieldTable arguments, String text) {
    assertThatThrownBy(() -> ExchangeType.X_CONSISTENT_HASH.validate(arguments))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining(text);
  }

  @Test
  void modulusHashIsStableAndDistributesEvenly() {
    RoutingTable<String> table = table(ExchangeType.X_MODULUS_HASH, FieldTable.EMPTY);
    for (String queue : List.of("a", "b", "c", "d")) {
      table = bind(table, queue, "");
    }
    assertThat(table.route("x", "k", MessageProperties.NONE).isReusable()).isTrue();
    Map<String, Integer> shares = shares(table);
    assertThat(shares).hasSize(4);
    assertThat(Collections.min(shares.values())).isGreaterThan(KEYS / 5);
    assertThat(shares(table)).isEqualTo(shares);
  }

  @ParameterizedTest
  @EnumSource(names = {"X_RANDOM", "X_LOCAL_RANDOM"})
  void randomExchangeDistributesEvenly(ExchangeType type) {
    RoutingTable<String> table = table(type, FieldTable.EMPTY);
    assertThat(table.route("x", "k", MessageProperties.NONE).isEmpty()).isTrue();
    table = bind(bind(table, "a", ""), "b", "");
    assertThat(table.route("x", "k", MessageProperties.NONE).isReusable()).isFalse();
    assertThat(shares(table).get("a")).isCloseTo(KEYS / 2, within(KEYS / 20));
  }

  @Test
  void localRandomExchangeBindsOnlyQueuesWithoutAKey() {
    assertThatThrownBy(() -> ExchangeType.X_LOCAL_RANDOM.validate(Binding.toQueue("x", "q", "k")))
        .hasMessageContaining("Non empty binding 'k' key not permitted");
    assertThatThrownBy(() -> ExchangeType.X_LOCAL_RANDOM.validate(Binding.toExchange("x", "y", "")))
        .hasMessageContaining("Destination not found");
  }

  @ParameterizedTest
  @EnumSource(names = {"X_RANDOM", "X_MODULUS_HASH"})
  void messageWithSeveralKeysGoesToOneRandomDestination(ExchangeType type) {
    RoutingTable<String> table = table(type, FieldTable.EMPTY);
    for (String queue : List.of("a", "b", "c", "d")) {
      table = bind(table, queue, "");
    }
    List<String> keys = List.of("one", "two", "three", "four", "five");
    assertThat(table.route("x", keys, MessageProperties.NONE).size()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"X_CONSISTENT_HASH", "X_MODULUS_HASH"})
  void bindingsThatChangeBetweenMessagesAreChosenAsThoseOfANewExchange(ExchangeType type) {
    Random random = new Random(17);
    RoutingTable<String> table = table(type, FieldTable.EMPTY);
    Set<Binding> present = new HashSet<>();
    for (int i = 0; i < 400; i++) {
      Binding binding = randomBinding(random);
      if (present.add(binding)) {
        table = table.withQueue(binding.destination(), binding.destination(), 0);
        table = table.withBinding(binding);
      } else {
        present.remove(binding);
        table = table.withoutBinding(binding);
      }
      // Sometimes many changes come between two messages, sometimes none.
      if (random.nextInt(i < 200 ? 2 : 100) == 0 && !present.isEmpty()) {
        assertThat(targets(table)).isEqualTo(targets(anew(type, present)));
      }
    }
    assertThat(targets(table)).isEqualTo(targets(anew(type, present)));
  }

  /** Equal tables of arguments may have their fields in another order. */
  private static Binding randomBinding(Random random) {
    FieldTable.Builder arguments = FieldTable.builder();
    List<String> names = random.nextBoolean() ? List.of("a", "b") : List.of("b", "a");
    names.stream().limit(random.nextInt(3)).forEach(name -> arguments.put(name, 1));
    return new Binding(
        "x",
        DestinationKind.QUEUE,
        "q" + random.nextInt(20),
        "" + (1 + random.nextInt(2)),
        arguments.build());
  }

  private static RoutingTable<String> anew(ExchangeType type, Set<Binding> bindings) {
    RoutingTable<String> table = table(type, FieldTable.EMPTY);
    for (Binding binding : bindings) {
      table = table.withQueue(binding.destination(), binding.destination(), 0);
    }
    for (Binding binding : bindings) {
      table = table.withBinding(binding);
    }
    return table;
  }

  private static List<String> targets(RoutingTable<String> table) {
    return IntStream.range(0, 100).mapToObj(i -> to(table, "key" + i)).toList();
  }

  @Test
  void bindingDoesNotPrepareThoseThatAreThere() {
    AtomicInteger lots = new AtomicInteger();
    Choice counting =
        new Choice() {
          @Override
          public Lot lot(Binding binding) {
            lots.incrementAndGet();
            return Lot.ALIKE;
          }

          @Override
          public Chooser among(List<Lot> all) {
            return (key, properties) -> all.size() - 1;
          }

          @Override
          public boolean variesByMessage() {
            return false;
          }
        };
    ChoiceIndex<String> index = ChoiceIndex.empty(counting);
    for (int i = 0; i < 1_000; i++) {
      String queue = "q" + i;
      index = index.with(Binding.toQueue("x", queue, "1"), new QueueNode<>(queue, queue, 0, false));
    }
    assertThat(lots).as("only a message needs them").hasValue(0);
    index.match("k", MessageProperties.NONE);
    assertThat(lots).hasValue(1_000);
    index = index.with(Binding.toQueue("x", "z", "1"), new QueueNode<>("z", "z", 0, false));
    index = index.without(Binding.toQueue("x", "q5", "1"));
    assertThat(index.match("k", MessageProperties.NONE).route().toList()).containsExactly("z");
    assertThat(lots).hasValue(1_001);
  }
}
