package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Exchanges and bindings are deleted when unused, to the millisecond. */
class IdleLeasesTest {
  private static final int PERIOD = 1000;
  private static final FieldTable EXPIRES = FieldTable.builder().put("x-expires", PERIOD).build();

  private TestBroker broker = TestBroker.of(2);

  @BeforeEach
  void declareQueue() {
    broker.declare("q");
  }

  private ExchangeDefinition exchange(String name, ExchangeType type, FieldTable arguments) {
    ExchangeDefinition exchange = new ExchangeDefinition(name, type, true, false, false, arguments);
    broker.vhost.declareExchange(exchange, this);
    broker.trimMemory();
    return exchange;
  }

  private Binding bind(String exchange, String key, FieldTable arguments) {
    Binding binding = new Binding(exchange, DestinationKind.QUEUE, "q", key, arguments);
    broker.vhost.bind(binding, this);
    broker.trimMemory();
    return binding;
  }

  private void publish(String exchange, String key) {
    Message message = TestBroker.message(1);
    Route<Queue> route = broker.vhost.routing().route(exchange, key, message::properties);
    broker.vhost.follow(route, message);
  }

  private boolean has(String exchange) {
    return broker.vhost.routing().exchange(exchange) != null;
  }

  private boolean has(Binding binding) {
    return broker.vhost.routing().contains(binding);
  }

  @Test
  void unusedExchangeIsDeletedWithItsBindingsAfterItsPeriod() {
    exchange("x", ExchangeType.DIRECT, EXPIRES);
    Binding binding = bind("x", "k", FieldTable.EMPTY);

    broker.advance(PERIOD);
    assertThat(has("x")).isTrue();
    broker.advance(1);
    assertThat(has("x")).isFalse();
    assertThat(has(binding)).isFalse();
  }

  @Test
  void publishingRenewsTheLeaseOfAnExchangeOfAnyType() {
    for (ExchangeType type :
        new ExchangeType[] {
          ExchangeType.DIRECT, ExchangeType.TOPIC, ExchangeType.FANOUT, ExchangeType.HEADERS
        }) {
      exchange("x", type, EXPIRES);
      broker.advance(PERIOD - 1);
      publish("x", "nowhere");
      broker.advance(PERIOD);
      assertThat(has("x")).as("%s", type).isTrue();
      broker.advance(1);
      assertThat(has("x")).as("%s", type).isFalse();
    }
  }

  @Test
  void redeclaringBindingAndUnbindingRenewTheLeaseOfAnExchange() {
    ExchangeDefinition exchange = exchange("x", ExchangeType.DIRECT, EXPIRES);
    broker.advance(PERIOD - 1);
    broker.vhost.declareExchange(exchange, this);
    broker.advance(PERIOD - 1);
    Binding binding = bind("x", "k", FieldTable.EMPTY);
    broker.advance(PERIOD - 1);
    broker.vhost.unbind(binding, this);
    broker.advance(PERIOD - 1);
    exchange("source", ExchangeType.FANOUT, FieldTable.EMPTY);
    broker.vhost.bind(Binding.toExchange("source", "x", ""), this);
    broker.advance(PERIOD);
    assertThat(has("x")).isTrue();
    broker.advance(1);
    assertThat(has("x")).isFalse();
  }

  @Test
  void messageRoutedByAnotherExchangeRenewsTheLeaseOfAnExchange() {
    exchange("x", ExchangeType.FANOUT, EXPIRES);
    exchange("source", ExchangeType.FANOUT, FieldTable.EMPTY);
    broker.vhost.bind(Binding.toExchange("source", "x", ""), this);
    broker.advance(PERIOD - 1);
    publish("source", "");
    broker.advance(PERIOD);
    assertThat(has("x")).isTrue();
  }

  @Test
  void messageRenewsOnlyTheLeaseOfItsMatchingBinding() {
    exchange("x", ExchangeType.DIRECT, FieldTable.EMPTY);
    Binding used = bind("x", "used", EXPIRES);
    Binding unused = bind("x", "unused", EXPIRES);
    Binding lasting = bind("x", "lasting", FieldTable.EMPTY);
    Binding again = bind("x", "again", EXPIRES);
    broker.advance(PERIOD - 1);
    publish("x", "used");
    bind("x", "again", EXPIRES);

    broker.advance(2);
    assertThat(has(unused)).isFalse();
    assertThat(has(used)).isTrue();
    assertThat(has(again)).isTrue();
    broker.advance(PERIOD);
    assertThat(has(used)).isFalse();
    assertThat(has(again)).isFalse();
    assertThat(has(lasting)).isTrue();
  }

  @Test
  void endOfTheLastBindingLeaseDeletesAnAutoDeleteExchange() {
    broker.vhost.declareExchange(
        new ExchangeDefinition("x", ExchangeType.TOPIC, false, true, false, FieldTable.EMPTY),
        this);
    bind("x", "#", EXPIRES);
    broker.advance(PERIOD + 1);
    assertThat(has("x")).isFalse();
  }

  @Test
  void shorterOfBindingLeaseAndBindingExpiresOfTheExchangeApplies() {
    exchange(
        "x",
        ExchangeType.DIRECT,
        FieldTable.builder().put("x-binding-expires", PERIOD / 2).build());
    Binding shorter = bind("x", "k", EXPIRES);
    broker.advance(PERIOD / 2 + 1);
    assertThat(has(shorter)).isFalse();
  }

  @Test
  void policySetsAndRemovesLeasesExceptForPredeclaredExchanges() {
    exchange("x", ExchangeType.DIRECT, FieldTable.EMPTY);
    Binding binding = bind("x", "k", FieldTable.EMPTY);
    broker
        .vhost
        .policies()
        .set(
            Policy.of(
                PolicyKind.POLICY,
                "p",
                "",
                "exchanges",
                0,
                Map.of("exchange-expires", 5L * PERIOD, "binding-expires", (long) PERIOD)));
    broker.trimMemory();
    broker.advance(PERIOD + 1);
    assertThat(has(binding)).isFalse();
    broker.advance(4000);
    assertThat(has("x")).isFalse();
    assertThat(has("amq.direct")).isTrue();
  }

  @Test
  void restartRenewsLeasesOfExchangesAndBindings() {
    exchange("x", ExchangeType.DIRECT, EXPIRES);
    Binding binding = bind("x", "k", EXPIRES);
    broker.advance(PERIOD - 1);
    broker = broker.afterKill();
    broker.advance(PERIOD - 1);
    assertThat(has("x")).isTrue();
    assertThat(has(binding)).isTrue();
    broker.advance(2);
    assertThat(has("x")).isFalse();

    broker = broker.afterKill();
    assertThat(has("x")).as("that was kept").isFalse();
  }

  @Test
  void invalidLeaseArgumentsOfExchangesAreRefused() {
    FieldTable zero = FieldTable.builder().put("x-expires", 0).build();
    assertThatThrownBy(() -> exchange("x", ExchangeType.DIRECT, zero))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining(
            "invalid arg 'x-expires' for exchange 'x' in vhost '/': {value_zero,0}");
    assertThat(has("x")).isFalse();
    FieldTable text = FieldTable.builder().put("x-expires", "1").build();
    assertThatThrownBy(() -> bind("amq.direct", "k", text))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining("\"expected integer, got longstr\"");
  }
}
