package io.mayflymq.it.routing;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Target;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests the events at {@code amq.rabbitmq.event}, as of RabbitMQ's event exchange plugin. */
@BlackBox
@Isolated("it hears of everything")
class EventExchangeIT {
  private static Deliveries events(Amqp amqp, String key) throws Exception {
    String queue = amqp.queue();
    amqp.bind(queue, "amq.rabbitmq.event", key);
    return Deliveries.from(amqp.newChannel(), queue, true);
  }

  private static Map<String, Object> headers(Delivery event) {
    return Headers.of(event.properties());
  }

  @Test
  void creatingAndDeletingAQueuePublishesEvents(Amqp amqp) throws Exception {
    Deliveries events = events(amqp, "queue.*");
    Channel channel = amqp.newChannel();
    String name =
        channel.queueDeclare("", false, false, true, Map.of("x-max-length", 3)).getQueue();
    Delivery created = events.next();
    assertThat(created.envelope().getRoutingKey()).isEqualTo("queue.created");
    assertThat(created.body()).isEmpty();
    assertThat(created.properties().getDeliveryMode()).isEqualTo(2);
    assertThat(created.properties().getTimestamp()).isNotNull();
    assertThat(headers(created))
        .containsEntry("name", name)
        .containsEntry("vhost", "/")
        .containsEntry("durable", false)
        .containsEntry("auto_delete", true)
        .containsEntry("exclusive", false)
        .containsEntry("arguments", List.of("{<<\"x-max-length\">>,signedint,3}"))
        .containsEntry("user_who_performed_action", "guest")
        .containsKey("timestamp_in_ms");
    channel.queueDelete(name);
    Delivery deleted = events.next();
    assertThat(deleted.envelope().getRoutingKey()).isEqualTo("queue.deleted");
    assertThat(headers(deleted)).containsEntry("name", name);
  }

  @Test
  void creatingAndDeletingAnExchangeAndItsBindingsPublishesEvents(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries exchanges = events(amqp, "exchange.*");
    Deliveries bindings = events(amqp, "binding.deleted");
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC);
    amqp.bind(queue, exchange, "k");
    assertThat(headers(exchanges.next()))
        .containsEntry("name", exchange)
        .containsEntry("type", "topic");
    amqp.channel().exchangeDelete(exchange);
    assertThat(exchanges.next().envelope().getRoutingKey()).isEqualTo("exchange.deleted");
    assertThat(headers(bindings.next()))
        .containsEntry("source_name", exchange)
        .containsEntry("destination_name", queue)
        .containsEntry("destination_kind", "queue")
        .containsEntry("routing_key", "k");
  }

  @Test
  void openingAndClosingChannelsAndConsumersPublishesEvents(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries consumers = events(amqp, "consumer.*");
    Deliveries channels = events(amqp, "channel.*");
    Delivery own = consumers.next();
    assertThat(own.envelope().getRoutingKey()).isEqualTo("consumer.created");
    Channel channel = amqp.newChannel();
    Delivery created = channels.next();
    while (!Long.valueOf(channel.getChannelNumber()).equals(headers(created).get("number"))) {
      created = channels.next();
    }
    channel.basicQos(7);
    String tag = channel.basicConsume(queue, false, (t, message) -> {}, t -> {});
    Delivery begun = consumers.next();
    while (!tag.equals(headers(begun).get("consumer_tag"))) {
      begun = consumers.next();
    }
    assertThat(headers(begun))
        .containsEntry("queue", queue)
        .containsEntry("prefetch_count", 7L)
        .containsEntry("ack_required", true)
        .containsEntry("channel", headers(created).get("pid"));
    channel.close();
    assertThat(headers(consumers.next())).containsEntry("consumer_tag", tag);
    assertThat(headers(channels.next())).containsEntry("pid", headers(created).get("pid"));
  }

  @Test
  void changesByAdministratorsPublishEvents(Amqp amqp, Target target) throws Exception {
    ControlCommand control = ControlCommand.of(target);
    Deliveries events = events(amqp, "#");
    assertThat(control.run("add_user", "told", "secret").exit()).isZero();
    await(events, "user.created", "name", "told");
    control.run("set_user_tags", "told", "monitoring");
    assertThat(headers(await(events, "user.tags.set", "name", "told")))
        .containsEntry("tags", List.of("monitoring"));
    control.run("set_permissions", "told", "a", "b", "c");
    assertThat(headers(await(events, "permission.created", "user", "told")))
        .containsEntry("configure", "a")
        .containsEntry("write", "b")
        .containsEntry("read", "c");
    control.run("delete_user", "told");
    await(events, "user.deleted", "name", "told");
    control.run("set_policy", "told", "^told$", "{\"max-length\":3}", "--apply-to", "queues");
    assertThat(headers(await(events, "policy.set", "name", "told")))
        .containsEntry("pattern", "^told$")
        .containsEntry("definition", Map.of("max-length", 3L));
    control.run("clear_policy", "told");
    await(events, "policy.cleared", "name", "told");
  }

  private static Delivery await(Deliveries events, String key, String header, Object value)
      throws Exception {
    Delivery event = events.next();
    while (!(event.envelope().getRoutingKey().equals(key)
        && value.equals(headers(event).get(header)))) {
      event = events.next();
    }
    return event;
  }
}
