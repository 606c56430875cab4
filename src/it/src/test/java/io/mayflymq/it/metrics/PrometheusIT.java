package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scrapes the metrics for Prometheus. */
@BlackBox
@OwnBroker
class PrometheusIT {
  private static final String TEXT = "text/plain;version=0.0.4";
  private static final String OPEN_METRICS = "application/openmetrics-text;version=1.0.0";
  private static final String AMQP = "{protocol=\"amqp091\"}";
  private static final String CLASSIC =
      "{protocol=\"amqp091\",queue_type=\"rabbit_classic_queue\"}";
  private static final byte[] BODY = "x".getBytes(StandardCharsets.UTF_8);

  private static EmbeddedBroker broker;
  private static int port;

  @BeforeAll
  static void start() {
    port = Broker.freePort();
    broker =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .set("prometheus.waiting_times.enabled", true)
            .start();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  /** What an earlier test used may be deleted after its connection was closed. */
  private static void awaitNoObjects() {
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              ScrapedText scrape = scrape("/metrics");
              return scrape.value("rabbitmq_queues") == 0
                  && scrape.value("rabbitmq_connections") == 0;
            });
  }

  /** Scrapes; what a busy broker puts off (503) is asked for again, as a scraper does. */
  private static ScrapedText scrape(String path) {
    ScrapedText scrape =
        await()
            .atMost(Patience.TIME)
            .until(() -> ScrapedText.of(port, path, TEXT), answer -> answer.status() != 503);
    assertThat(scrape.status()).isEqualTo(200);
    return scrape;
  }

  /** Every query of the dashboard joins with this series, which must be the only one. */
  @ParameterizedTest
  @CsvSource({
    "/metrics,aggregated",
    "/metrics/per-object,per-object",
    "/metrics/detailed,detailed"
  })
  void identityIsFirst(String path, String endpoint) throws Exception {
    ScrapedText scrape = scrape(path);
    assertThat(scrape.type("rabbitmq_identity_info")).isEqualTo("untyped");
    assertThat(scrape.samples("rabbitmq_identity_info"))
        .singleElement()
        .asString()
        .contains("rabbitmq_cluster=\"mayfly@", "rabbitmq_node=\"mayfly@")
        .contains("rabbitmq_endpoint=\"" + endpoint + "\"");
    assertThat(scrape.samples("rabbitmq_build_info"))
        .singleElement()
        .asString()
        .contains("rabbitmq_version=\"4.3.6\"", "erlang_version=\"Java ");
    assertThat(scrape.lines().get(1)).startsWith("# TYPE rabbitmq_build_info");
  }

  @Test
  void aQueueWithPrioritiesHasTheNumberOfEach() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.confirmSelect();
      for (Integer priority : new Integer[] {31, null, 255, 4, 0}) {
        channel.basicPublish(
            "", "q", new BasicProperties.Builder().priority(priority).build(), BODY);
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      ScrapedText scrape = scrape("/metrics/per-object");
      String name = "mayfly_queue_messages_ready_by_priority";
      assertThat(scrape.type(name)).isEqualTo("gauge");
      assertThat(scrape.values(name, Map.of("queue", "q", "priority", "31"))).containsExactly(2.0);
      assertThat(scrape.values(name, Map.of("queue", "q", "priority", "4"))).containsExactly(2.0);
      assertThat(scrape.values(name, Map.of("queue", "q"))).hasSize(3);
      channel.queueDelete("q");
    }
  }

  /** The metrics that the dashboard RabbitMQ-Overview queries, with the labels of its queries. */
  @Test
  void overviewDashboardFindsItsMetrics() throws Exception {
    ScrapedText scrape = scrape("/metrics");
    for (String counter :
        List.of(
            "connections_opened_total",
            "connections_closed_total",
            "channels_opened_total",
            "channels_closed_total",
            "queues_declared_total",
            "queues_created_total",
            "queues_deleted_total")) {
      assertThat(scrape.type("rabbitmq_" + counter)).isEqualTo("counter");
      assertThat(scrape.samples("rabbitmq_" + counter)).containsExactly("rabbitmq_" + counter);
    }
    for (String gauge :
        List.of(
            "connections",
            "channels",
            "consumers",
            "queues",
            "process_open_fds",
            "process_max_fds",
            "process_open_tcp_sockets",
            "process_max_tcp_sockets",
            "process_resident_memory_bytes",
            "resident_memory_limit_bytes",
            "disk_space_available_bytes",
            "disk_space_available_limit_bytes",
            "erlang_uptime_seconds",
            "queue_messages_ready",
            "queue_messages_unacked")) {
      assertThat(scrape.type("rabbitmq_" + gauge)).isEqualTo("gauge");
      assertThat(scrape.samples("rabbitmq_" + gauge)).containsExactly("rabbitmq_" + gauge);
    }
    for (String counter :
        List.of(
            "received",
            "received_confirm",
            "routed",
            "confirmed",
            "unroutable_dropped",
            "unroutable_returned")) {
      String name = "rabbitmq_global_messages_" + counter + "_total";
      assertThat(scrape.type(name)).isEqualTo("counter");
      assertThat(scrape.samples(name)).containsExactly(name + AMQP);
    }
    for (String counter :
        List.of(
            "delivered",
            "delivered_consume_manual_ack",
            "delivered_consume_auto_ack",
            "delivered_get_manual_ack",
            "delivered_get_auto_ack",
            "get_empty",
            "redelivered",
            "acknowledged")) {
      String name = "rabbitmq_global_messages_" + counter + "_total";
      assertThat(scrape.type(name)).isEqualTo("counter");
      assertThat(scrape.samples(name)).contains(name + CLASSIC);
    }
    assertThat(scrape.samples("rabbitmq_global_publishers"))
        .containsExactly("rabbitmq_global_publishers" + AMQP);
    assertThat(scrape.samples("rabbitmq_global_consumers"))
        .containsExactly("rabbitmq_global_consumers" + AMQP);
    assertThat(scrape.value("rabbitmq_process_resident_memory_bytes")).isPositive();
    assertThat(scrape.type("rabbitmq_alarms_memory_used_watermark")).isEqualTo("untyped");
    assertThat(scrape.samples("jvm_memory_used_bytes")).isNotEmpty();
    assertThat(scrape.value("mayfly_scrape_complete")).isEqualTo(1);
  }

  @Test
  void brokerAndClusterAreIdentified() throws Exception {
    ScrapedText scrape = scrape("/metrics");
    assertThat(scrape.samples("rabbitmq_build_info"))
        .singleElement()
        .asString()
        .contains("rabbitmq_version=\"4.3", "prometheus_client_version=\"", "erlang_version=\"");
    assertThat(scrape.samples("rabbitmq_identity_info"))
        .singleElement()
        .asString()
        .contains("rabbitmq_cluster_permanent_id=\"mayfly-cluster-id-");
  }

  @Test
  void countersGrowByWhatAClientDoes() throws Exception {
    awaitNoObjects();
    ScrapedText before = scrape("/metrics");
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.queueDeclare("grow", false, false, false, null);
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", "grow", MessageProperties.MINIMAL_BASIC, BODY);
      }
      channel.basicPublish("", "missing", MessageProperties.MINIMAL_BASIC, BODY);
      channel.waitForConfirmsOrDie(60_000);
      channel.basicAck(channel.basicGet("grow", false).getEnvelope().getDeliveryTag(), false);
      channel.basicGet("grow", true);
      ScrapedText open = scrape("/metrics");
      assertThat(open.value("rabbitmq_queue_messages")).isEqualTo(1);
      assertThat(open.value("rabbitmq_connections")).isEqualTo(1);
      assertThat(open.value("rabbitmq_channels")).isEqualTo(1);
      assertThat(open.value("rabbitmq_global_publishers" + AMQP)).isEqualTo(1);
      channel.queuePurge("grow");
      channel.basicGet("grow", true);
      channel.queueDelete("grow");
    }
    await().atMost(Patience.TIME).untilAsserted(() -> assertGrewByOneRun(before));
  }

  private static void assertGrewByOneRun(ScrapedText before) throws Exception {
    ScrapedText after = scrape("/metrics");
    assertGrew(before, after, "rabbitmq_connections_opened_total", 1);
    assertGrew(before, after, "rabbitmq_channels_opened_total", 1);
    assertGrew(before, after, "rabbitmq_queues_declared_total", 1);
    assertGrew(before, after, "rabbitmq_queues_created_total", 1);
    assertGrew(before, after, "rabbitmq_queues_deleted_total", 1);
    assertGrew(before, after, "rabbitmq_global_messages_received_total" + AMQP, 4);
    assertGrew(before, after, "rabbitmq_global_messages_received_confirm_total" + AMQP, 4);
    assertGrew(before, after, "rabbitmq_global_messages_confirmed_total" + AMQP, 4);
    assertGrew(before, after, "rabbitmq_global_messages_routed_total" + AMQP, 3);
    assertGrew(before, after, "rabbitmq_global_messages_unroutable_dropped_total" + AMQP, 1);
    assertGrew(before, after, "rabbitmq_global_messages_delivered_total" + CLASSIC, 2);
    assertGrew(
        before, after, "rabbitmq_global_messages_delivered_get_manual_ack_total" + CLASSIC, 1);
    assertGrew(before, after, "rabbitmq_global_messages_delivered_get_auto_ack_total" + CLASSIC, 1);
    assertGrew(before, after, "rabbitmq_global_messages_acknowledged_total" + CLASSIC, 1);
    assertGrew(before, after, "rabbitmq_global_messages_get_empty_total" + CLASSIC, 1);
    assertGrew(before, after, "mayfly_messages_purged_total", 1);
  }

  private static void assertGrew(ScrapedText before, ScrapedText after, String sample, double by) {
    assertThat(after.value(sample) - before.value(sample)).as(sample).isEqualTo(by);
  }

  @Test
  void objectsHaveSamplesOfTheirOwn() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("object", false, true, false, null);
      String labels = "{queue=\"object\",vhost=\"/\"}";
      ScrapedText objects = scrape("/metrics/per-object");
      assertThat(objects.samples("rabbitmq_queue_messages"))
          .contains("rabbitmq_queue_messages" + labels);
      assertThat(objects.samples("rabbitmq_queue_info"))
          .contains(
              "rabbitmq_queue_info{membership=\"leader\",queue=\"object\","
                  + "queue_type=\"rabbit_classic_queue\",vhost=\"/\"}");
      assertThat(objects.samples("rabbitmq_channel_consumers")).hasSize(1);
      assertThat(objects.value("rabbitmq_queue_consumer_capacity" + labels)).isBetween(0.0, 1.0);
      assertThat(objects.samples("rabbitmq_connection_incoming_bytes_total")).hasSize(1);

      ScrapedText detailed =
          scrape("/metrics/detailed?family=queue_coarse_metrics&vhost=%2F&queue=ob");
      assertThat(detailed.samples("rabbitmq_detailed_queue_messages"))
          .containsExactly("rabbitmq_detailed_queue_messages" + labels);
      assertThat(detailed.lines()).noneMatch(line -> line.contains("queue_consumers"));
      assertThat(scrape("/metrics/detailed?family=queue_metrics&vhost=other").lines())
          .noneMatch(line -> line.contains("queue=\"object\""));
    }
  }

  @Test
  void publishesAreCountedByChannelAndExchange() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.exchangeDeclare("counted", "fanout", false, true, null);
      channel.basicPublish("counted", "", MessageProperties.MINIMAL_BASIC, BODY);
      channel.basicPublish("counted", "", true, MessageProperties.MINIMAL_BASIC, BODY);
      channel.basicPublish("", "missing", MessageProperties.MINIMAL_BASIC, BODY);
      channel.waitForConfirmsOrDie(60_000);
      ScrapedText scrape = scrape("/metrics/per-object");
      for (String kind : List.of("exchange", "channel")) {
        Map<String, String> known = Map.of("exchange", "counted", "vhost", "/");
        String start = "rabbitmq_" + kind + "_messages_";
        assertThat(scrape.values(start + "published_total", known)).containsExactly(2.0);
        assertThat(scrape.values(start + "confirmed_total", known)).containsExactly(2.0);
        assertThat(scrape.values(start + "unroutable_returned_total", known)).containsExactly(1.0);
        assertThat(scrape.values(start + "unroutable_dropped_total", known)).containsExactly(1.0);
      }
      channel.exchangeDelete("counted");
    }
  }

  @Test
  void lagOfTheSlowestConsumerOfAStreamIsMeasured() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.queueDeclare("stream", true, false, false, Map.of("x-queue-type", "stream"));
      for (int i = 0; i < 10; i++) {
        channel.basicPublish("", "stream", MessageProperties.MINIMAL_BASIC, BODY);
      }
      channel.waitForConfirmsOrDie(60_000);
      assertThat(scrape("/metrics").samples("rabbitmq_stream_consumer_max_offset_lag")).isEmpty();
      channel.basicQos(3);
      channel.basicConsume(
          "stream", false, Map.of("x-stream-offset", "first"), (tag, delivery) -> {}, tag -> {});
      String lag = "rabbitmq_detailed_stream_consumer_max_offset_lag{queue=\"stream\",vhost=\"/\"}";
      await()
          .atMost(Patience.TIME)
          .until(() -> scrape("/metrics/detailed?family=stream_consumer_metrics").value(lag) == 7);
      assertThat(scrape("/metrics").value("rabbitmq_stream_consumer_max_offset_lag")).isEqualTo(7);
      channel.queueDelete("stream");
    }
  }

  @Test
  void deliveriesAreCountedByChannelAndQueue() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      for (String queue : List.of("one", "two")) {
        channel.queueDeclare(queue, false, true, false, null);
        channel.basicPublish("", queue, MessageProperties.MINIMAL_BASIC, BODY);
      }
      channel.waitForConfirmsOrDie(60_000);
      channel.basicAck(channel.basicGet("one", false).getEnvelope().getDeliveryTag(), false);
      channel.basicGet("one", true);
      channel.basicConsume("two", true, (tag, delivery) -> {}, tag -> {});
      String path = "/metrics/detailed?family=channel_queue_metrics";
      String start = "rabbitmq_detailed_channel_";
      Map<String, String> one = Map.of("queue", "one", "vhost", "/");
      Map<String, String> two = Map.of("queue", "two", "vhost", "/");
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () ->
                  assertThat(scrape(path).values(start + "messages_delivered_total", two))
                      .containsExactly(1.0));
      ScrapedText scrape = scrape(path);
      assertThat(scrape.values(start + "get_ack_total", one)).containsExactly(1.0);
      assertThat(scrape.values(start + "messages_acked_total", one)).containsExactly(1.0);
      assertThat(scrape.values(start + "get_empty_total", one)).containsExactly(1.0);
      assertThat(scrape.values(start + "get_ack_total", two)).containsExactly(0.0);
    }
  }

  @Test
  void memoryBreakdownHasWhatHasAMeaning() throws Exception {
    ScrapedText scrape = scrape("/metrics/memory-breakdown");
    assertThat(scrape.samples("rabbitmq_identity_info"))
        .singleElement()
        .asString()
        .contains("rabbitmq_endpoint=\"memory-breakdown\"");
    assertThat(scrape.value("rabbitmq_memory_code_module_bytes")).isPositive();
    assertThat(scrape.value("rabbitmq_memory_binary_heap_bytes")).isPositive();
    assertThat(scrape.value("rabbitmq_memory_runtime_allocated_unused_bytes")).isPositive();
    assertThat(scrape.value("rabbitmq_memory_quorum_queue_erlang_process_bytes")).isZero();
    assertThat(scrape.lines().stream().filter(line -> line.startsWith("rabbitmq_memory_")))
        .as("as many as in RabbitMQ 4.3.6")
        .hasSize(26);
  }

  /** What the suite of RabbitMQ 4.3's plugin looks for. */
  @Test
  void quorumQueueOfABrokerThatIsAloneHasALog() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.queueDeclare("alone", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.basicPublish("", "alone", MessageProperties.MINIMAL_PERSISTENT_BASIC, BODY);
      channel.waitForConfirmsOrDie(60_000);
      String labels = "{queue=\"alone\",vhost=\"/\"}";
      ScrapedText objects = scrape("/metrics/per-object");
      assertThat(objects.lines()).contains("rabbitmq_raft_term" + labels + " 1.0");
      assertThat(objects.value("rabbitmq_raft_commit_latency_seconds" + labels)).isPositive();
      assertThat(objects.value("rabbitmq_raft_num_segments" + labels)).isPositive();
      assertThat(
              scrape("/metrics/detailed?family=ra_metrics&vhost=%2F")
                  .samples("rabbitmq_detailed_raft_term"))
          .containsExactly("rabbitmq_detailed_raft_term" + labels);
      assertThat(
              scrape("/metrics/detailed?family=ra_metrics&vhost=other")
                  .samples("rabbitmq_detailed_raft_term"))
          .isEmpty();
      ScrapedText sums = scrape("/metrics");
      assertThat(sums.samples("rabbitmq_raft_max_commit_latency_seconds"))
          .containsExactly("rabbitmq_raft_max_commit_latency_seconds{ra_system=\"quorum_queues\"}");
      assertThat(sums.samples("rabbitmq_raft_bytes_written"))
          .containsExactlyInAnyOrder(
              "rabbitmq_raft_bytes_written{module=\"ra_log_wal\",ra_system=\"quorum_queues\"}",
              "rabbitmq_raft_bytes_written"
                  + "{module=\"ra_log_segment_writer\",ra_system=\"quorum_queues\"}");
      channel.queueDelete("alone");
    }
  }

  @Test
  void publishesAreCountedByQueueAndExchange() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.exchangeDeclare("through", "fanout", false, true, null);
      channel.queueDeclare("target", false, true, false, null);
      channel.queueBind("target", "through", "");
      for (String exchange : List.of("through", "", "through")) {
        channel.basicPublish(exchange, "target", MessageProperties.MINIMAL_BASIC, BODY);
      }
      channel.waitForConfirmsOrDie(60_000);
      String path = "/metrics/detailed?family=queue_exchange_metrics&queue=%5Etarg";
      String name = "rabbitmq_detailed_queue_exchange_messages_published_total";
      ScrapedText scrape = scrape(path);
      assertThat(scrape.value(name + "{exchange=\"through\",queue=\"target\",vhost=\"/\"}"))
          .isEqualTo(2);
      assertThat(scrape.value(name + "{exchange=\"\",queue=\"target\",vhost=\"/\"}")).isEqualTo(1);
      assertThat(
              scrape("/metrics/detailed?family=queue_metrics&queue=%5Etarg")
                  .value("rabbitmq_detailed_queue_messages_ram{queue=\"target\",vhost=\"/\"}"))
          .isEqualTo(3);
    }
  }

  /** RabbitMQ 4.3.6 has the type of queues beside these families, and no others. */
  @ParameterizedTest
  @CsvSource({
    "queue_coarse_metrics, 1",
    "queue_consumer_count, 1",
    "queue_metrics, 1",
    "queue_delivery_metrics, 0"
  })
  void detailedMetricsTellTheTypesOfQueues(String family, int count) throws Exception {
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("typed", false, true, false, null);
      assertThat(
              scrape("/metrics/detailed?queue=%5Etyped$&family=" + family)
                  .samples("rabbitmq_detailed_queue_info"))
          .hasSize(count)
          .allMatch(sample -> sample.contains("queue_type=\"rabbit_classic_queue\""));
    }
  }

  @Test
  void limitsAgeAndRefusalsOfAQueueAreThere() throws Exception {
    awaitNoObjects();
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.queueDeclare(
          "limited",
          false,
          true,
          false,
          Map.of(
              "x-max-length", 1,
              "x-max-length-bytes", 1000,
              "x-message-ttl", 3_600_000,
              "x-overflow", "reject-publish"));
      channel.queueDeclare("unlimited", false, true, false, null);
      channel.basicPublish("", "limited", MessageProperties.MINIMAL_BASIC, BODY);
      channel.basicPublish("", "limited", MessageProperties.MINIMAL_BASIC, BODY);
      channel.waitForConfirms(60_000);
      String labels = "{queue=\"limited\",vhost=\"/\"}";
      String path = "/metrics/detailed?family=queue_metrics&queue=limited";
      ScrapedText scrape = scrape(path);
      assertThat(scrape.value("mayfly_queue_max_length" + labels)).isEqualTo(1);
      assertThat(scrape.value("mayfly_queue_max_length_bytes" + labels)).isEqualTo(1000);
      assertThat(scrape.value("mayfly_queue_message_ttl_seconds" + labels)).isEqualTo(3600);
      assertThat(scrape.value("mayfly_queue_messages_refused_total" + labels)).isEqualTo(1);
      assertThat(scrape.samples("mayfly_queue_max_length")).hasSize(1);
      assertThat(scrape.samples("mayfly_queue_oldest_message_age_seconds"))
          .as("an empty queue has no age")
          .containsExactly("mayfly_queue_oldest_message_age_seconds" + labels);
      channel.basicGet("limited", false);
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () ->
                  assertThat(scrape(path).value("mayfly_queue_oldest_message_age_seconds" + labels))
                      .as("a message that is not acknowledged is as old as before")
                      .isPositive());
    }
  }

  @Test
  void timeThatMessagesWaitedIsMeasured() throws Exception {
    awaitNoObjects();
    ScrapedText before = scrape("/metrics");
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("waited", false, true, false, null);
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", "waited", MessageProperties.MINIMAL_BASIC, BODY);
      }
      long tag = channel.basicGet("waited", false).getEnvelope().getDeliveryTag();
      channel.basicNack(tag, false, true);
      channel.basicGet("waited", true);
      channel.basicGet("waited", true);
      ScrapedText open = scrape("/metrics/per-object");
      assertThat(
              open.value("mayfly_queue_message_wait_seconds_count{queue=\"waited\",vhost=\"/\"}"))
          .as("a message that is delivered again does not count again")
          .isEqualTo(2);
      assertThat(
              scrape("/metrics/detailed?family=queue_metrics&queue=waited")
                  .type("mayfly_queue_message_wait_seconds"))
          .isEqualTo("histogram");
    }
    awaitNoObjects();
    assertGrew(before, scrape("/metrics"), "mayfly_message_wait_seconds_count", 2);
  }

  @Test
  void scrapesTellWhatEarlierOnesCost() throws Exception {
    String labels =
        "{content_type=\"text/plain; version=0.0.4; charset=utf-8\",registry=\"default\"}";
    scrape("/metrics");
    ScrapedText before = scrape("/metrics");
    ScrapedText after = scrape("/metrics");
    assertThat(after.type("telemetry_scrape_duration_seconds")).isEqualTo("summary");
    assertGrew(before, after, "telemetry_scrape_duration_seconds_count" + labels, 1);
    String size = "telemetry_scrape_size_bytes_sum" + labels;
    assertThat(after.value(size) - before.value(size)).isGreaterThan(10_000);
  }

  @Test
  void forcedWritesAreThereUnderRabbitMqsNames() throws Exception {
    ScrapedText detailed = scrape("/metrics/detailed?family=node_persister_metrics");
    for (String name :
        List.of(
            "io_write_bytes_total",
            "msg_store_write_total",
            "io_sync_ops_total",
            "io_sync_time_seconds_total")) {
      assertThat(detailed.type("rabbitmq_detailed_" + name)).isEqualTo("counter");
      assertThat(scrape("/metrics").type("rabbitmq_" + name)).isEqualTo("counter");
    }
  }

  /** More than fit into a slice and into one buffer. */
  @Test
  void manyQueuesAreOneFamily() throws Exception {
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      for (int i = 0; i < 600; i++) {
        channel.queueDeclareNoWait("many-" + i, false, true, false, null);
      }
      channel.queueDeclare("many", false, true, false, null);
      ScrapedText scrape = ScrapedText.of(port, "/metrics/per-object", OPEN_METRICS);
      assertThat(scrape.type("rabbitmq_queue_messages")).isEqualTo("gauge");
      assertThat(scrape.samples("rabbitmq_queue_messages").stream().distinct())
          .hasSizeGreaterThan(600);
      assertThat(scrape.lines().stream().filter("# EOF"::equals)).hasSize(1);
      assertThat(scrape.lines()).last().isEqualTo("# EOF");
    }
  }

  @Test
  void formatIsNegotiated() throws Exception {
    ScrapedText text = scrape("/metrics");
    assertThat(text.contentType()).startsWith("text/plain; version=0.0.4");
    assertThat(text.lines()).doesNotContain("# EOF");
    ScrapedText openMetrics = ScrapedText.of(port, "/metrics", OPEN_METRICS);
    assertThat(openMetrics.contentType()).startsWith("application/openmetrics-text; version=1.0.0");
    assertThat(openMetrics.type("rabbitmq_connections_opened")).isEqualTo("counter");
    assertThat(openMetrics.type("rabbitmq_identity_info")).isEqualTo("unknown");
    assertThat(openMetrics.lines()).last().isEqualTo("# EOF");
  }

  /** As in RabbitMQ 4.3.6; it refuses OpenMetrics alone, which is served here. */
  @ParameterizedTest
  @CsvSource({
    "text/plain, 200",
    "'text/plain, text/html', 200",
    "'text/html;q=0.9,text/*;q=0.1', 200",
    "*/*, 200",
    "'text/plain;version=1.0.0;q=0.6,*/*;q=0.1', 200",
    "application/openmetrics-text, 200",
    "text/xdvi, 406",
    "application/vnd.google.protobuf, 406",
    "'application/json, text/html;q=0.2', 406",
    "x, 400"
  })
  void formatsThatThereAreNotAreRefused(String accept, int status) throws Exception {
    assertThat(ScrapedText.of(port, "/metrics", accept).status()).isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({
    "queue=a&queue=b, 400, Only one 'queue' query parameter is allowed",
    "queue=&queue=b, 400, Only one 'queue' query parameter is allowed",
    "queue=%5B, 400, Invalid 'queue' regex: ",
    "queue=, 200, ''"
  })
  void filtersAreChecked(String query, int status, String text) throws Exception {
    ScrapedText answer =
        ScrapedText.of(port, "/metrics/detailed?family=queue_coarse_metrics&" + query, TEXT);
    assertThat(answer.status()).as(answer.lines().toString()).isEqualTo(status);
    assertThat(String.join(" ", answer.lines())).startsWith(text);
  }

  /** RabbitMQ 4.3.6 counts no dead letter where there is no exchange that it could go to. */
  @Test
  void missingDeadLetterExchangeIsNone() throws Exception {
    ScrapedText before = scrape("/metrics");
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare("unbound", "fanout", false, true, null);
      for (String exchange : List.of("unbound", "missing")) {
        channel.queueDeclare(
            "dying-" + exchange,
            false,
            true,
            false,
            Map.of("x-message-ttl", 0, "x-dead-letter-exchange", exchange));
        channel.basicPublish("", "dying-" + exchange, MessageProperties.MINIMAL_BASIC, BODY);
      }
      String name =
          "rabbitmq_global_messages_dead_lettered_expired_total"
              + "{dead_letter_strategy=\"%s\",queue_type=\"rabbit_classic_queue\"}";
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () -> {
                ScrapedText after = scrape("/metrics");
                assertGrew(before, after, name.formatted("at_most_once"), 1);
                assertGrew(before, after, name.formatted("disabled"), 1);
              });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/metrics/memory", "/metricsx"})
  void otherPathsAreNotFound(String path) throws Exception {
    assertThat(ScrapedText.of(port, path, TEXT).status()).isEqualTo(404);
  }

  @Test
  void requestsThatAreNoScrapesAreRefused() throws Exception {
    assertThat(ScrapedText.send("POST", port, "/metrics", TEXT).status()).isEqualTo(405);
    assertThat(ScrapedText.send("HEAD", port, "/metrics", TEXT).status()).isEqualTo(200);
    assertThat(ScrapedText.of(port, "/metrics/detailed?queue=%5B", TEXT).status()).isEqualTo(400);
  }

  @Test
  void takenPortIsReportedAtTheStart() {
    EmbeddedBroker second =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .launch();
    assertThat(second.awaitExit()).isEqualTo(1);
    assertThat(second.output())
        .contains(
            "mayfly: cannot listen for Prometheus on 127.0.0.1:"
                + port
                + " (key prometheus.tcp.port): Address already in use");
  }
}
