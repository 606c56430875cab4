package io.mayflymq.core.vhost;

import static io.mayflymq.core.routing.DestinationKind.EXCHANGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is created and deleted in a broker, as its event exchange shows it. */
class EventExchangeTest {
  private final TestBroker broker = TestBroker.of(2);

  private void listen(String key) {
    broker.declare("events");
    broker.vhost.bind(Binding.toQueue(ExchangeDefinition.EVENT, "events", key), null);
    broker.trimMemory();
  }

  /** All events that were told since the last call. */
  private List<Message> events() {
    broker.trimMemory();
    List<Message> events = new ArrayList<>();
    for (GetResult next = broker.fetch("events"); next != null; next = broker.fetch("events")) {
      events.add(next.message());
    }
    return events;
  }

  private List<String> names() {
    return events().stream().map(event -> event.routingKey().value()).toList();
  }

  @Test
  void eventsAreNotPublishedWithoutABinding() {
    broker.declare("early");
    listen("queue.#");
    assertThat(events()).isEmpty();
  }

  @Test
  void queueCreationAndDeletionAreEvents() {
    listen("queue.#");
    broker.declare("q", FieldTable.builder().put("x-max-length", 3).build());
    List<Message> created = events();
    assertThat(created).hasSize(1);
    Message event = created.get(0);
    assertThat(event.exchange().value()).isEqualTo("amq.rabbitmq.event");
    assertThat(event.routingKey().value()).isEqualTo("queue.created");
    assertThat(event.bodyLength()).isZero();
    assertThat(event.persistent()).isTrue();
    assertThat(event.properties().timestamp()).isEqualTo(broker.loops.clock().millis() / 1000);
    FieldTable headers = event.headers();
    assertThat(headers.get("name")).isEqualTo(FieldValue.of("q"));
    assertThat(headers.get("vhost")).isEqualTo(FieldValue.of("/"));
    assertThat(headers.get("durable")).isEqualTo(FieldValue.Bool.TRUE);
    assertThat(headers.get("arguments"))
        .isEqualTo(
            new FieldValue.Array(List.of(FieldValue.of("{<<\"x-max-length\">>,signedint,3}"))));
    assertThat(headers.get("timestamp_in_ms").longValue()).isEqualTo(broker.loops.clock().millis());
    broker.declare("q", FieldTable.builder().put("x-max-length", 3).build());
    assertThat(events()).as("declared again").isEmpty();
    broker.delete("q");
    assertThat(names()).containsExactly("queue.deleted");
  }

  @Test
  void endOfALeaseIsAQueueDeletedEvent() {
    listen("queue.deleted");
    broker.declare("q", FieldTable.builder().put("x-expires", 100).build());
    broker.advance(200);
    List<Message> deleted = events();
    assertThat(deleted).hasSize(1);
    assertThat(deleted.get(0).headers().get("user_who_performed_action"))
        .isEqualTo(FieldValue.of("rmq-internal"));
  }

  @Test
  void implicitDeletionsAreEvents() {
    listen("#");
    assertThat(names()).as("its own binding").containsExactly("binding.created");
    broker.vhost.declareExchange(
        new ExchangeDefinition("x", ExchangeType.FANOUT, false, true, false, FieldTable.EMPTY),
        null);
    broker.declare("q");
    broker.vhost.bind(Binding.toQueue("x", "q", ""), null);
    assertThat(names())
        .containsExactlyInAnyOrder("exchange.created", "queue.created", "binding.created");
    broker.delete("q");
    assertThat(names())
        .containsExactlyInAnyOrder("binding.deleted", "exchange.deleted", "queue.deleted");
  }

  @Test
  void eventExchangeExistsInOneVhostOnly() {
    VirtualHost other = broker.broker.createVirtualHost(VhostDefinition.of("other"));
    assertThat(other.routing().exchange(ExchangeDefinition.EVENT)).isNull();
    listen("exchange.created");
    other.declareExchange(ExchangeDefinition.durable("x", ExchangeType.TOPIC), null);
    List<Message> events = events();
    assertThat(events).hasSize(1);
    assertThat(events.get(0).headers().get("vhost")).isEqualTo(FieldValue.of("other"));
  }

  @Test
  void bindingsAreKeptWhereTheExchangeIsNot() {
    VirtualHost other = broker.broker.createVirtualHost(VhostDefinition.of("other"));
    other.declareExchange(ExchangeDefinition.durable("x", ExchangeType.TOPIC), null);
    broker.trimMemory();
    Binding from = new Binding(ExchangeDefinition.EVENT, EXCHANGE, "x", "#", FieldTable.EMPTY);
    Binding to = new Binding("x", EXCHANGE, ExchangeDefinition.EVENT, "#", FieldTable.EMPTY);
    other.replay(new MetadataCommand.Bound("other", from));
    other.replay(new MetadataCommand.Bound("other", to));
    assertThat(other.routing().bindings()).contains(from, to);
    assertThat(other.routing().exchange(ExchangeDefinition.EVENT).internal()).isTrue();
    other.unbind(from, null);
    broker.trimMemory();
    assertThat(other.routing().bindings()).contains(to).doesNotContain(from);
  }

  @Test
  void noPolicySendsEventsToAnAlternateExchange() {
    Map<String, Object> alternate = Map.of("alternate-exchange", "amq.fanout");
    broker.vhost.policies().set(Policy.of(PolicyKind.POLICY, "all", "", "all", 0, alternate));
    broker.trimMemory();
    assertThat(broker.vhost.routing().alternateExchange("amq.topic")).isEqualTo("amq.fanout");
    assertThat(broker.vhost.routing().alternateExchange(ExchangeDefinition.EVENT)).isNull();
  }
}
