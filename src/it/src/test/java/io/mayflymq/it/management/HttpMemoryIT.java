package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of HTTP that would take all memory of a small broker. */
@OwnBroker
class HttpMemoryIT {
  private static final int CLIENTS = 1_000;
  private static final int MEGABYTE = 1 << 20;

  private static BrokerProcess broker;

  private final List<RawHttp> clients = new ArrayList<>();
  private final Set<String> declared = new HashSet<>();

  @BeforeAll
  static void start() {
    broker = BrokerProcess.builder().jvm("-Xmx256m").set("shards", 2).start();
  }

  /** Leaves nothing to the next test, whose memory it would take. */
  @AfterEach
  void leave() throws Exception {
    for (RawHttp client : clients) {
      client.close();
    }
    // What the clients have asked for may be looked at before their ends are, and be too much.
    await()
        .atMost(Patience.TIME)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> guest().get("whoami").status() == 200);
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String queue : declared) {
        channel.queueDelete(queue);
      }
    }
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  /** What a request consists of so far, of which the rest never comes. */
  enum Half {
    LINE("GET /" + "a".repeat(8_000)),
    FEW_LARGE_HEADERS(RawHttp.request("GET", "/api/whoami", large(90, 150), "").strip()),
    MANY_SMALL_HEADERS("GET /api/whoami HTTP/1.1\r\nhost: h\r\n" + "a:\r\n".repeat(4_000)),
    MANY_TRAILERS(
        RawHttp.request(
            "PUT",
            "/api/vhosts/v",
            RawHttp.guest() + "transfer-encoding: chunked\r\n",
            "0\r\n" + "a:\r\n".repeat(4_000))),
    SMALL_BODY(
        RawHttp.request(
            "PUT",
            "/api/vhosts/v",
            RawHttp.guest() + "content-length: 70000\r\n",
            " ".repeat(60_000))),
    LARGE_BODY(
        RawHttp.request(
            "POST",
            "/api/definitions",
            RawHttp.guest() + large(80, 150) + "content-length: 10000000\r\n",
            " ".repeat(500_000)));

    private final String text;

    Half(String text) {
      this.text = text;
    }

    private static String large(int count, int length) {
      StringBuilder headers = new StringBuilder();
      for (int i = 0; i < count; i++) {
        headers.append("h").append(i).append(": ").append("v".repeat(length)).append("\r\n");
      }
      return headers.toString();
    }
  }

  private void stall(int count, String text) throws IOException {
    for (int i = 0; i < count; i++) {
      RawHttp client = new RawHttp(broker.httpPort());
      clients.add(client);
      try {
        client.send(text);
      } catch (IOException e) {
        // It was refused before it had said everything.
      }
    }
  }

  private Http guest() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private void requireService() throws Exception {
    for (int i = 0; i < 3; i++) {
      // What has been asked before is answered first, and some is refused meanwhile.
      await().atMost(Patience.TIME).until(() -> guest().get("overview").status() == 200);
    }
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("q", true, false, false, null);
      channel.confirmSelect();
      for (int i = 0; i < 100; i++) {
        channel.basicPublish("", "q", MessageProperties.PERSISTENT_BASIC, new byte[10_000]);
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      channel.queueDelete("q");
    }
  }

  @ParameterizedTest
  @EnumSource
  void incompleteRequestsLeaveMemoryForOthers(Half half) throws Exception {
    stall(CLIENTS, half.text);
    requireService();
    stall(100, half.text);
    requireService();
  }

  @Test
  void unreadResponsesLeaveMemoryForOthers() throws Exception {
    for (int i = 0; i < 300; i++) {
      String name = "long-name-".repeat(20) + i;
      declared.add(name);
      assertThat(guest().put("queues/%2F/" + name, "{}").status()).isEqualTo(201);
    }
    stall(CLIENTS, RawHttp.request("GET", "/api/queues", RawHttp.guest(), ""));
    requireService();
    // An answer that is read slowly may be the next one that is given up.
    await()
        .atMost(Patience.TIME)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> guest().get("queues").json().size() == 300);
  }

  private void publish(int count, byte[] body) throws Exception {
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      declared.add("large");
      channel.queueDeclare("large", true, false, false, null);
      channel.confirmSelect();
      for (int i = 0; i < count; i++) {
        channel.basicPublish("", "large", MessageProperties.PERSISTENT_BASIC, body);
        if (i % 10 == 9) {
          channel.waitForConfirmsOrDie(Patience.MILLIS);
        }
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
    }
  }

  private int ready() throws Exception {
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      return channel.queueDeclarePassive("large").getMessageCount();
    }
  }

  @Test
  void aResponseWithLargeMessagesIsLimitedInSize() throws Exception {
    publish(1_000, new byte[MEGABYTE]);
    String all = "{\"count\":1000,\"ackmode\":\"ack_requeue_true\",\"encoding\":\"base64\"}";
    for (int i = 0; i < 3; i++) {
      JsonNode got = guest().post("queues/%2F/large/get", all).json();
      assertThat(got.size()).isBetween(2, 32);
      assertThat(got.get(0).path("payload").asText()).hasSize((MEGABYTE + 2) / 3 * 4);
      assertThat(got.get(got.size() - 1).path("payload_bytes").asInt()).isEqualTo(MEGABYTE);
    }
    String cut = all.replace("}", ",\"truncate\":10}");
    assertThat(guest().post("queues/%2F/large/get", cut).json()).hasSize(1_000);
    assertThat(guest().get("queues/%2F/large/messages?count=1000").status()).isEqualTo(200);

    String ask =
        RawHttp.request(
            "POST",
            "/api/queues/%2F/large/get",
            RawHttp.guest() + "content-length: " + all.length() + "\r\n",
            all);
    stall(100, ask);
    String look = "/api/queues/%2F/large/messages?count=1000&truncate=2000000";
    stall(100, RawHttp.request("GET", look, RawHttp.guest(), ""));
    requireService();
    await().atMost(Patience.TIME).until(() -> ready() == 1_000);
    // An answer that is read slowly may be the next one that is given up.
    await()
        .atMost(Patience.TIME)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() -> guest().post("queues/%2F/large/get", all).status() == 200);
  }

  @Test
  void aLargeBodyIsWrittenAsJsonInPieces() throws Exception {
    publish(1, new byte[16 * MEGABYTE]);
    String one = "{\"count\":1,\"ackmode\":\"ack_requeue_true\",\"encoding\":\"auto\"}";
    String ask =
        RawHttp.request(
            "POST",
            "/api/queues/%2F/large/get",
            RawHttp.guest() + "content-length: " + one.length() + "\r\n",
            one);
    stall(30, ask);
    requireService();
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              RawHttp client = new RawHttp(broker.httpPort());
              clients.add(client);
              return client.send(ask).status() == 200;
            });
  }
}
