package io.mayflymq.it.security;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is told of the events of a broker: nobody, unless a key says where, and then monitors. */
@BlackBox
@OwnBroker
class EventExchangeAccessIT {
  private static final String KEY = "event_exchange.vhost";
  private static final String EXCHANGE = "amq.rabbitmq.event";
  private static final String DEFINITIONS =
      """
      {"vhosts":[{"name":"events"},{"name":"orders"}],
       "users":[{"name":"root","password":"p","tags":"administrator"},
                {"name":"watcher","password":"p","tags":"monitoring"},
                {"name":"ann","password":"p","tags":"management,policymaker"}],
       "permissions":[
         {"user":"root","vhost":"orders","configure":".*","write":".*","read":".*"},
         {"user":"watcher","vhost":"events","configure":".*","write":".*","read":".*"},
         {"user":"ann","vhost":"events","configure":".*","write":".*","read":".*"}]}
      """;

  @TempDir Path directory;

  private EmbeddedBroker.Builder builder() throws IOException {
    Path file = Files.writeString(directory.resolve("definitions.json"), DEFINITIONS);
    return EmbeddedBroker.builder().data(directory.resolve("data")).set("load_definitions", file);
  }

  private static Connection connect(Broker broker, String user, String vhost) throws Exception {
    ConnectionFactory factory = broker.factory();
    factory.setUsername(user);
    factory.setPassword("p");
    factory.setVirtualHost(vhost);
    return factory.newConnection();
  }

  @Test
  void noEventIsPublishedUnlessTheKeyIsSet() throws Exception {
    try (EmbeddedBroker broker = builder().start();
        Connection watcher = connect(broker, "watcher", "events")) {
      Channel channel = watcher.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      assertChannelError(
          channel,
          404,
          "NOT_FOUND - no exchange '%s' in vhost 'events'".formatted(EXCHANGE),
          () -> channel.queueBind("q", EXCHANGE, "#"));
    }
  }

  @Test
  void aBindingStaysWhenTheKeyIsRemoved() throws Exception {
    try (EmbeddedBroker broker = builder().set(KEY, "events").start();
        Connection watcher = connect(broker, "watcher", "events")) {
      Channel channel = watcher.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.queueBind("q", EXCHANGE, "queue.created");
    }
    try (EmbeddedBroker broker = builder().start()) {
      try (Connection watcher = connect(broker, "watcher", "events")) {
        Channel channel = watcher.createChannel();
        channel.queueDeclare("another", true, false, false, null);
        assertThat(channel.messageCount("q")).isZero();
        channel.queueUnbind("q", EXCHANGE, "queue.created");
      }
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void onlyMonitorsMayBind() throws Exception {
    try (EmbeddedBroker broker = builder().set(KEY, "events").start();
        Connection ann = connect(broker, "ann", "events")) {
      String refused =
          "read access to exchange '%s' in vhost 'events' refused for user 'ann': it needs the tag"
                  .formatted(EXCHANGE)
              + " monitoring or administrator";
      Channel toQueue = ann.createChannel();
      toQueue.queueDeclare("q", true, false, false, null);
      assertChannelError(
          toQueue,
          403,
          "ACCESS_REFUSED - " + refused,
          () -> toQueue.queueBind("q", EXCHANGE, "queue.#"));
      Channel toExchange = ann.createChannel();
      assertChannelError(
          toExchange,
          403,
          "ACCESS_REFUSED - " + refused,
          () -> toExchange.exchangeBind("amq.fanout", EXCHANGE, "#"));
      assertThat(
              Http.as(broker.httpPort(), "ann", "p")
                  .post("bindings/events/e/" + EXCHANGE + "/q/q", "{\"routing_key\":\"#\"}")
                  .reason())
          .contains(refused);
      ann.createChannel().queueUnbind("q", EXCHANGE, "#");
    }
  }

  @Test
  void monitorsAreToldOfAllVirtualHostsButNotOfValues() throws Exception {
    try (EmbeddedBroker broker = builder().set(KEY, "events").start();
        Connection watcher = connect(broker, "watcher", "events")) {
      Channel channel = watcher.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.queueBind("q", EXCHANGE, "exchange.created");
      channel.queueBind("q", EXCHANGE, "parameter.set");
      Deliveries events = Deliveries.from(watcher.createChannel(), "q", true);
      try (Connection root = connect(broker, "root", "orders")) {
        root.createChannel().exchangeDeclare("x", "fanout");
      }
      assertThat(Headers.of(events.next().properties()))
          .containsEntry("name", "x")
          .containsEntry("vhost", "orders");
      Http http = Http.as(broker.httpPort(), "root", "p");
      http.put("global-parameters/key", "{\"value\":\"a secret\"}");
      Delivery set = events.next();
      assertThat(set.envelope().getRoutingKey()).isEqualTo("parameter.set");
      assertThat(Headers.of(set.properties()))
          .containsEntry("name", "key")
          .doesNotContainKey("value");
    }
  }
}
