package io.mayflymq.it.fault;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory outside of the heap that has the contents of waiting messages is given back. */
@OwnBroker
class ContentMemoryIT {
  private static final String QUEUE = "waiting";
  private static final int MESSAGES = 4096;
  private static final int BODY = 16 << 10;
  private static final long CONTENTS = (long) MESSAGES * BODY;

  /** What may be left of it: spare blocks, and buffers of connections. */
  private static final long REST = CONTENTS / 2;

  private static BrokerProcess broker;
  private static String node;

  private Connection connection;
  private Channel channel;
  private long before;

  @BeforeAll
  static void start() throws Exception {
    broker = BrokerProcess.builder().jvm("-Xmx1g").set("shards", 2).start();
    node = broker.http().get("overview").json().path("node").asText();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @BeforeEach
  void fill() throws Exception {
    connection = broker.factory().newConnection();
    channel = connection.createChannel();
    channel.queueDeclare(QUEUE, false, false, false, null);
    before = buffers();
    channel.confirmSelect();
    for (int i = 0; i < MESSAGES; i++) {
      channel.basicPublish("", QUEUE, PLAIN, new byte[BODY]);
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    assertThat(buffers() - before).isGreaterThan(CONTENTS - REST);
  }

  @AfterEach
  void disconnect() throws Exception {
    channel.queueDelete(QUEUE);
    connection.close();
  }

  private static JsonNode memory() throws Exception {
    return broker.http().get("nodes/" + node + "/memory").json().path("memory");
  }

  private static long buffers() throws Exception {
    return memory().path("binary").longValue();
  }

  private void awaitGivenBack() {
    await().atMost(Patience.TIME).until(() -> buffers() - before < REST);
  }

  @Test
  void ofQueuesThatArePurged() throws Exception {
    channel.queuePurge(QUEUE);
    awaitGivenBack();
  }

  @Test
  void ofQueuesThatAreDeleted() throws Exception {
    channel.queueDelete(QUEUE);
    awaitGivenBack();
  }

  @Test
  void ofMessagesThatAreConsumed() throws Exception {
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(channel.basicGet(QUEUE, true).getBody()).hasSize(BODY);
    }
    awaitGivenBack();
  }

  @Test
  void andIsCountedOnce() throws Exception {
    JsonNode memory = memory();
    assertThat(memory.path("queue_procs").longValue()).isLessThan(REST);
    assertThat(memory.path("other_proc").longValue())
        .isLessThanOrEqualTo(memory.path("heap_used").longValue());
  }
}
