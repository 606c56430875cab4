package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What the management API says of queues beside their lengths. */
@BlackBox
@MayflyOnly("RabbitMQ collects these a few seconds later")
class QueueStatisticsIT {
  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  private JsonNode queue(String name) throws Exception {
    return http.get("queues/%2F/" + name).json();
  }

  @Test
  void consumerCapacityIsBelowOneWhileMessagesWaitForConsumers(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    assertThat(queue(queue).path("consumer_capacity").asDouble(-1)).isZero();
    Channel channel = amqp.channel();
    channel.basicQos(1);
    channel.basicConsume(queue, false, (tag, delivery) -> {}, tag -> {});
    assertThat(queue(queue).path("consumer_capacity").asDouble()).isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      amqp.publish(queue, "m");
    }
    Awaitility.await("the consumer to have no prefetch left for a while")
        .atMost(Patience.TIME)
        .until(() -> queue(queue).path("consumer_capacity").asDouble() < 0.5);
    assertThat(queue(queue).path("consumer_utilisation").asDouble()).isLessThan(0.5);
  }

  @Test
  void listsOfQueuesCanLeaveOutStatistics(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    amqp.awaitReady(queue, 1);
    String path = "queues/%2F?page=1&name=" + queue;
    JsonNode basics = http.get(path + "&disable_stats=true").json().path("items").get(0);
    assertThat(basics.path("name").asText()).isEqualTo(queue);
    assertThat(basics.has("messages")).isFalse();
    JsonNode totals =
        http.get(path + "&disable_stats=true&enable_queue_totals=true").json().path("items").get(0);
    assertThat(totals.path("messages_ready").asInt()).isEqualTo(1);
    assertThat(totals.has("message_stats")).isFalse();
  }

  @Test
  void pagesAreSortedByAnyFieldThatTheyShow(Amqp amqp) throws Exception {
    String prefix = amqp.name();
    for (int i = 0; i < 3; i++) {
      String queue = prefix + i;
      amqp.channel()
          .queueDeclare(
              queue, i == 1, false, i == 2, i == 0 ? Map.of() : Map.of("x-max-priority", i));
      for (int sent = 0; sent < (i + 1) % 3; sent++) {
        amqp.publish(queue, "m");
      }
      amqp.awaitReady(queue, (i + 1) % 3);
    }
    String page = "queues/%2F?page=1&name=" + prefix;
    Set<String> fields = new TreeSet<>();
    for (JsonNode queue : http.get(page).json().path("items")) {
      queue.properties().forEach(field -> fields.add(field.getKey()));
    }
    assertThat(fields).contains("messages", "durable", "messages_active_priorities", "state");
    // What changes between the moment of the order and that of the answer.
    fields.remove("idle_since");
    for (String field : fields) {
      List<JsonNode> values = new ArrayList<>();
      for (JsonNode queue : http.get(page + "&sort=" + field).json().path("items")) {
        values.add(queue.path(field));
      }
      assertThat(values).as(field).hasSize(3);
      if (values.stream().noneMatch(JsonNode::isContainerNode)) {
        assertThat(values).as(field).isSortedAccordingTo(QueueStatisticsIT::compare);
      }
    }
    for (int i = 0; i < 3; i++) {
      amqp.channel().queueDelete(prefix + i);
    }
  }

  /** What is absent comes first, then numbers, then texts. */
  private static int compare(JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return Double.compare(a.asDouble(), b.asDouble());
    }
    return a.getNodeType() == b.getNodeType()
        ? a.asText().compareTo(b.asText())
        : Boolean.compare(!a.isMissingNode(), !b.isMissingNode());
  }

  @Test
  void queueShowsWhatItTakesOfMemoryAndDisk(Amqp amqp) throws Exception {
    String queue = amqp.name();
    amqp.channel().queueDeclare(queue, true, false, false, Map.of());
    int body = 10_000;
    amqp.channel().basicPublish("", queue, MessageProperties.MINIMAL_BASIC, new byte[body]);
    amqp.channel()
        .basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[body]);
    amqp.awaitReady(queue, 2);
    JsonNode shown = queue(queue);
    assertThat(shown.path("memory").asLong()).isBetween((long) body, 3L * body);
    assertThat(shown.path("message_stats").path("disk_writes").asInt()).isEqualTo(1);
    for (int i = 0; i < 2; i++) {
      assertThat(amqp.channel().basicGet(queue, true)).isNotNull();
    }
    assertThat(queue(queue).path("memory").asLong()).isZero();
    assertThat(queue(queue).path("message_stats").path("disk_reads").asInt()).isEqualTo(1);
    amqp.channel().queueDelete(queue);
  }

  @Test
  void nodeShowsForcedWrites(Amqp amqp) throws Exception {
    String queue = amqp.name();
    amqp.channel().queueDeclare(queue, true, false, false, Map.of());
    amqp.channel().confirmSelect();
    amqp.channel()
        .basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[100]);
    amqp.channel().waitForConfirmsOrDie(Patience.MILLIS);
    JsonNode node = http.get("nodes").json().get(0);
    assertThat(node.path("io_sync_count").asLong()).isPositive();
    assertThat(node.path("io_sync_avg_time").asDouble()).isPositive();
    assertThat(node.path("io_write_bytes").asLong()).isGreaterThan(100);
    amqp.channel().queueDelete(queue);
  }

  @Test
  void clusterHasAnIdentity() throws Exception {
    assertThat(http.get("global-parameters/internal_cluster_id").json().path("value").asText())
        .startsWith("mayfly-cluster-id-");
  }

  @Test
  void streamNamesItsOnlyMember(Amqp amqp) throws Exception {
    String stream = amqp.name();
    amqp.channel().queueDeclare(stream, true, false, false, Map.of("x-queue-type", "stream"));
    JsonNode shown = queue(stream);
    assertThat(shown.path("members")).hasSize(1);
    assertThat(shown.path("online")).isEqualTo(shown.path("members"));
    assertThat(shown.has("consumer_capacity")).isFalse();
    amqp.channel().queueDelete(stream);
  }

  @Test
  @ResourceLock(HistoryIT.SAMPLES)
  void resetForgetsSamplesAndKeepsCounts(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    amqp.awaitReady(queue, 1);
    assertThat(http.delete("reset").status()).isEqualTo(204);
    assertThat(queue(queue).path("message_stats").path("publish").asInt()).isEqualTo(1);
  }

  @Test
  void channelShowsWhatItDidByExchangeAndQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicPublish("", queue, null, new byte[1]);
    amqp.awaitReady(queue, 1);
    assertThat(channel.basicGet(queue, true)).isNotNull();
    JsonNode found = null;
    for (JsonNode each : http.get("channels").json()) {
      JsonNode shown =
          http.get("channels/" + each.path("name").asText().replace(" ", "%20").replace(">", "%3E"))
              .json();
      if (shown.path("deliveries").findValuesAsText("name").contains(queue)) {
        found = shown;
      }
    }
    assertThat(found).isNotNull();
    assertThat(found.path("publishes").findValuesAsText("name")).contains("");
    JsonNode share = found.path("deliveries").get(0);
    assertThat(share.path("queue").path("name").asText()).isEqualTo(queue);
    assertThat(share.path("stats").path("get_no_ack").asInt()).isEqualTo(1);
  }
}
