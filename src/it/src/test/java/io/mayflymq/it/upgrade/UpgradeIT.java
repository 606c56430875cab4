package io.mayflymq.it.upgrade;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.RestartedBroker.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EarlierExport;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * This build opens a data directory that version 0.1.0 wrote until it was killed, and has every
 * definition and every message of it.
 */
@OwnBroker
class UpgradeIT {
  /** The lists of an export. What a later version adds to one is allowed, what it lost is not. */
  private static final List<String> SECTIONS =
      List.of(
          "users",
          "vhosts",
          "permissions",
          "topic_permissions",
          "parameters",
          "global_parameters",
          "policies",
          "exchanges",
          "queues",
          "bindings");

  @TempDir Path scratch;
  private DataDirectory earlier;
  private RestartedBroker broker;

  /** It was written with two shards; their number may change with the version. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void dataOfVersion01IsThereWhole(int shards) throws Exception {
    earlier = DataDirectory.unpack(Contents.ARCHIVE, scratch.resolve("unpacked"));
    try (RestartedBroker started = RestartedBroker.at(earlier.path())) {
      broker = started;
      broker.set("shards", shards).start();
      assertDefinitions();
      // What this version has made of the directory has the same in it.
      broker.restart(Ending.KILL);
      assertDefinitions();
      assertPlainMessages();
      assertDeadMessages();
      assertQuorumAndStream();
      assertWaitingMessages();
      assertDeliveredMessages();
      assertUsers();
      assertWorks();
    }
  }

  private Http http() {
    return Http.as(broker.process().httpPort(), "guest", "guest");
  }

  private List<String> bodies(String queue) throws Exception {
    return broker.bodies(queue);
  }

  private void assertDefinitions() throws Exception {
    JsonNode now = EarlierExport.asToday(http().get("definitions").json());
    JsonNode written = EarlierExport.asToday(earlier.definitions());
    for (String section : SECTIONS) {
      List<JsonNode> before = items(written, section);
      assertThat(before).as(section + " of the earlier version").isNotEmpty();
      assertThat(items(now, section)).as(section).containsAll(before);
    }
    assertThat(http().get("queues").json())
        .extracting(queue -> queue.path("name").asText())
        .hasSize(earlier.definitions().path("queues").size());
  }

  private static List<JsonNode> items(JsonNode definitions, String section) {
    List<JsonNode> items = new ArrayList<>();
    definitions.path(section).forEach(items::add);
    return items;
  }

  private void assertPlainMessages() throws Exception {
    GetResponse full = broker.get("plain");
    assertThat(body(full)).isEqualTo("with all properties");
    BasicProperties written = Contents.properties();
    assertThat(Headers.of(full.getProps())).isEqualTo(Headers.of(written));
    assertThat(full.getProps().builder().headers(null).build())
        .isEqualTo(written.builder().headers(null).build());
    assertThat(bodies("plain")).containsExactly("", "in two queues", Contents.LARGE);
    assertThat(bodies("copy")).containsExactly("in two queues");
    assertThat(bodies("priority")).containsExactly("high", "low");
    assertThat(bodies("leased")).isEmpty();
  }

  private void assertDeadMessages() throws Exception {
    assertThat(bodies("by-policy")).containsExactly("not rejected");
    GetResponse dead = broker.get("dead");
    assertThat(body(dead)).isEqualTo("rejected");
    assertThat(Headers.history(dead.getProps())).containsExactly("rejected by-policy 1");
    assertThat(bodies("dead")).isEmpty();
    assertThat(bodies("bounded")).containsExactly("c", "d");
    assertThat(bodies("dropped")).containsExactly("a", "b");
    assertThat(bodies("refused")).isEmpty();
    assertThat(bodies("full")).startsWith("filler");
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> {
              GetResponse waited = broker.get("full");
              assertThat(waited).isNotNull();
              assertThat(body(waited)).isEqualTo("waits for room");
              assertThat(Headers.history(waited.getProps())).containsExactly("rejected refused 1");
            });
  }

  private void assertQuorumAndStream() throws Exception {
    List<GetResponse> quorum = broker.drain("quorum");
    assertThat(quorum)
        .extracting(RestartedBroker::body)
        .containsExactly("returned twice", "never returned");
    assertThat(quorum.get(0).getProps().getHeaders()).containsEntry("x-delivery-count", 2L);
    assertThat(quorum.get(1).getProps().getHeaders()).isNull();
    for (int first : new int[] {0, 25}) {
      Channel channel = broker.connect().createChannel();
      channel.basicQos(10);
      Deliveries deliveries =
          Deliveries.from(channel, "stream", false, false, Map.of("x-stream-offset", first));
      for (int offset = first; offset < Contents.STREAM_MESSAGES; offset++) {
        Deliveries.Delivery next = deliveries.next();
        assertThat(next.body()).isEqualTo(Contents.streamMessage(offset));
        assertThat(next.properties().getHeaders()).containsEntry("x-stream-offset", (long) offset);
        channel.basicAck(next.tag(), false);
      }
      deliveries.assertNothing();
      channel.close();
    }
  }

  /**
   * What was to happen some time after the directory was written has happened, or still waits if
   * that time is not over.
   */
  private void assertWaitingMessages() throws Exception {
    List<String> dead =
        awaitReady(
            "expired",
            Map.of(
                "in a minute",
                (long) Contents.WAIT_MILLIS,
                "in seven weeks",
                Contents.LONGEST_TTL_MILLIS));
    dead.addAll(bodies("expiring"));
    assertThat(dead).containsExactlyInAnyOrder("in a minute", "in seven weeks");

    List<String> due =
        awaitReady(
            "scheduled",
            Map.of(
                "in a minute",
                (long) Contents.WAIT_MILLIS,
                "in years",
                Contents.LONGEST_DELAY_MILLIS));
    JsonNode scheduled = http().get("queues/%2F/scheduled/scheduled").json().path("items");
    scheduled.forEach(item -> due.add(item.path("message_id").asText()));
    assertThat(due).containsExactlyInAnyOrder("in a minute", "in years");

    List<String> retried = awaitReady("retried", Map.of("returned", (long) Contents.WAIT_MILLIS));
    int delayed = http().get("queues/%2F/retried").json().path("messages_delayed").asInt();
    assertThat(retried.size() + delayed).isEqualTo(1);
  }

  /**
   * Waits for messages in a queue, each with the time in ms after which it is there, if that time
   * is over; returns all that it has.
   */
  private List<String> awaitReady(String queue, Map<String, Long> times) {
    List<String> expected = new ArrayList<>();
    times.forEach(
        (body, millis) -> {
          if (earlier.written().plusMillis(millis).isBefore(Instant.now())) {
            expected.add(body);
          }
        });
    List<String> got = new ArrayList<>();
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> {
              got.addAll(bodies(queue));
              assertThat(got).as(queue).containsAll(expected);
            });
    return got;
  }

  private void assertDeliveredMessages() throws Exception {
    assertThat(broker.flaggedBodies("unacknowledged")).containsExactly("a*", "b*", "c", "d");
    assertThat(bodies("acknowledged")).containsExactly("c", "d");
  }

  private void assertUsers() throws Exception {
    ConnectionFactory factory = broker.process().factory();
    factory.setUsername("ann");
    factory.setPassword("secret of ann");
    factory.setVirtualHost("orders");
    try (Connection connection = factory.newConnection()) {
      GetResponse order = connection.createChannel().basicGet("ann-orders", true);
      assertThat(body(order)).isEqualTo("order");
    }
    ObjectNode whoami =
        (ObjectNode)
            Http.as(broker.process().httpPort(), "ann", "secret of ann").get("whoami").json();
    assertThat(whoami.path("tags").toString()).isEqualTo("[\"monitoring\",\"policymaker\"]");
  }

  /** The old objects take and give new messages. */
  private void assertWorks() throws Exception {
    Channel publisher = broker.publisher();
    publisher.basicPublish("direct", "all", RestartedBroker.PERSISTENT, bytes("new"));
    publisher.basicPublish("topic", "no.route", RestartedBroker.PERSISTENT, bytes("a"));
    broker.awaitConfirms();
    assertThat(bodies("plain")).containsExactly("new", "a");
    assertThat(bodies("copy")).containsExactly("new", "a");
  }
}
