package io.mayflymq.it.federation;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Federation of exchanges and queues between brokers. */
@OwnBroker
class FederationIT {
  private static final String VHOST = "%2F";
  private static final String LINKS = "federation-links";

  /** More than a link can get between two looks. */
  private static final int QUEUED = 20_000;

  private static EmbeddedBroker first;
  private static EmbeddedBroker second;

  @TempDir Path data;

  private Site up;
  private Site down;
  private String name;

  /** One of the brokers, with a connection to it. */
  private static final class Site implements AutoCloseable {
    private final Broker broker;
    private final Http http;
    private final Connection connection;
    private final Channel channel;

    Site(Broker broker) throws Exception {
      this.broker = broker;
      this.http = Http.as(broker.httpPort(), "guest", "guest");
      this.connection = broker.factory().newConnection();
      this.channel = connection.createChannel();
      channel.confirmSelect();
    }

    String uri() {
      return "amqp://guest:guest@127.0.0.1:" + broker.port();
    }

    void upstream(String upstream, String uri, String more) throws Exception {
      put("parameters/federation-upstream/" + VHOST + "/" + upstream, value(uri, more));
    }

    private static String value(String uri, String more) {
      return "{\"value\":{\"uri\":\"%s\"%s}}".formatted(uri, more.isEmpty() ? "" : "," + more);
    }

    void policy(String policy, String pattern, String key, String upstreams) throws Exception {
      put(
          "policies/" + VHOST + "/" + policy,
          "{\"pattern\":\"%s\",\"definition\":{\"%s\":\"%s\"}}".formatted(pattern, key, upstreams));
    }

    void put(String path, String body) throws Exception {
      Http.Reply reply = http.put(path, body);
      assertThat(reply.status()).as(reply.raw().body()).isIn(201, 204);
    }

    JsonNode links() throws Exception {
      return http.get(LINKS).json();
    }

    void awaitLinks(int count) {
      await()
          .atMost(Patience.TIME)
          .until(
              () -> {
                JsonNode links = links();
                int running = 0;
                for (JsonNode link : links) {
                  running += link.path("status").asText().equals("running") ? 1 : 0;
                }
                return links.size() == count && running == count;
              });
    }

    void publish(String exchange, String key, String... bodies) throws Exception {
      for (String body : bodies) {
        channel.basicPublish(exchange, key, MessageProperties.PERSISTENT_BASIC, bytes(body));
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    }

    /** Waits until an exchange has so many bindings from it. */
    void awaitBindings(String exchange, int count) {
      await()
          .atMost(Patience.TIME)
          .until(
              () ->
                  http.get("exchanges/" + VHOST + "/" + exchange + "/bindings/source").json().size()
                      == count);
    }

    String queueOf(String exchange, String... keys) throws IOException {
      String queue = exchange + "-queue";
      channel.queueDeclare(queue, true, false, false, null);
      for (String key : keys) {
        channel.queueBind(queue, exchange, key);
      }
      return queue;
    }

    /** The queues whose name begins with this text. */
    Set<String> queues(String prefix) throws Exception {
      return names("queues", prefix);
    }

    Set<String> names(String kind, String prefix) throws Exception {
      Set<String> names = new TreeSet<>();
      for (JsonNode each : http.get(kind + "/" + VHOST).json()) {
        String found = each.path("name").asText();
        if (found.startsWith(prefix)) {
          names.add(found);
        }
      }
      return names;
    }

    List<String> bodies(String queue, int count) throws Exception {
      List<String> bodies = new ArrayList<>();
      await()
          .atMost(Patience.TIME)
          .until(
              () -> {
                GetResponse got = channel.basicGet(queue, true);
                while (got != null) {
                  bodies.add(new String(got.getBody(), StandardCharsets.UTF_8));
                  got = channel.basicGet(queue, true);
                }
                return bodies.size() >= count;
              });
      return bodies;
    }

    void clear() throws Exception {
      for (String kind : List.of("federation-upstream", "federation-upstream-set")) {
        for (JsonNode each : http.get("parameters/" + kind).json()) {
          http.delete("parameters/" + kind + "/" + VHOST + "/" + each.path("name").asText());
        }
      }
      for (JsonNode each : http.get("policies").json()) {
        http.delete("policies/" + VHOST + "/" + each.path("name").asText());
      }
      await().atMost(Patience.TIME).until(() -> links().isEmpty());
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }

  @BeforeAll
  static void start() throws Exception {
    first = EmbeddedBroker.builder().start();
    second = EmbeddedBroker.builder().start();
    named(first, "first");
    named(second, "second");
  }

  private static void named(Broker broker, String cluster) throws Exception {
    Http http = Http.as(broker.httpPort(), "guest", "guest");
    assertThat(http.put("cluster-name", "{\"name\":\"%s\"}".formatted(cluster)).status())
        .isEqualTo(204);
  }

  @AfterAll
  static void stop() {
    first.close();
    second.close();
  }

  @BeforeEach
  void connect() throws Exception {
    up = new Site(first);
    down = new Site(second);
    name = "x" + System.nanoTime();
  }

  @AfterEach
  void clear() throws Exception {
    down.clear();
    up.clear();
    up.close();
    down.close();
  }

  private void federateExchange(String type, String more) throws Exception {
    down.channel.exchangeDeclare(name, type, true);
    down.upstream("origin", up.uri(), more);
    down.policy("federated", "^" + name + "$", "federation-upstream", "origin");
    down.awaitLinks(1);
  }

  @Test
  void exchangeGetsWhatItsBindingsAskFor() throws Exception {
    federateExchange("topic", "");
    String queue = down.queueOf(name, "a.*");
    String upstreamQueue = "federation: " + name + " -> second";
    assertThat(up.queues("federation: " + name)).containsExactly(upstreamQueue);
    up.awaitBindings(name, 1);
    up.publish(name, "z.1", "other");
    up.publish(name, "a.1", "one");
    down.channel.queueBind(queue, name, "z.#");
    up.awaitBindings(name, 2);
    up.publish(name, "z.2", "two");
    assertThat(down.bodies(queue, 2)).containsExactly("one", "two");
    down.channel.queueUnbind(queue, name, "a.*");
    up.awaitBindings(name, 1);
    up.publish(name, "a.2", "other");
    up.publish(name, "z.3", "three");
    assertThat(down.bodies(queue, 1)).containsExactly("three");
    assertThat(down.links().path(0).path("forwarded").asInt()).isEqualTo(3);
  }

  @Test
  void messageKeepsItsPropertiesAndTellsWhereItHasComeFrom() throws Exception {
    federateExchange("fanout", "");
    String queue = down.queueOf(name, "");
    up.awaitBindings(name, 1);
    up.channel.basicPublish(
        name,
        "key",
        new BasicProperties.Builder()
            .deliveryMode(2)
            .messageId("m1")
            .userId("guest")
            .headers(Map.of("mine", 5))
            .build(),
        bytes("body"));
    Delivery delivery = Deliveries.from(down.channel, queue, true).next();
    assertThat(delivery.envelope().getRoutingKey()).isEqualTo("key");
    assertThat(delivery.envelope().getExchange()).isEqualTo(name);
    assertThat(delivery.properties().getMessageId()).isEqualTo("m1");
    assertThat(delivery.properties().getUserId()).isNull();
    assertThat(delivery.properties().getHeaders()).containsEntry("mine", 5);
    assertThat(String.valueOf(delivery.properties().getHeaders().get("x-received-from")))
        .contains("cluster-name=first", "exchange=" + name, "vhost=/", "redelivered=false")
        .doesNotContain("guest");
  }

  @Test
  void ringOfTwoDeliversEachMessageOnceOnEachSide() throws Exception {
    up.channel.exchangeDeclare(name, "fanout", true);
    String queue = up.queueOf(name, "");
    up.upstream("other", down.uri(), "\"max-hops\":5");
    up.policy("federated", "^" + name + "$", "federation-upstream-set", "all");
    federateExchange("fanout", "\"max-hops\":5");
    down.queueOf(name, "");
    up.awaitLinks(1);
    for (Site site : List.of(up, down)) {
      site.awaitBindings(name, 2);
    }
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      up.publish(name, "", "u" + i);
      down.publish(name, "", "d" + i);
      sent.addAll(List.of("u" + i, "d" + i));
    }
    assertThat(up.bodies(queue, 100)).containsExactlyInAnyOrderElementsOf(sent);
    assertThat(down.bodies(queue, 100)).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void clearedPolicyLeavesNothingAtTheUpstream() throws Exception {
    federateExchange("direct", "");
    down.queueOf(name, "k");
    assertThat(up.queues("federation: " + name)).hasSize(1);
    assertThat(up.names("exchanges", "federation: " + name)).hasSize(1);
    assertThat(down.http.delete("policies/" + VHOST + "/federated").status()).isEqualTo(204);
    await().atMost(Patience.TIME).until(() -> down.links().isEmpty());
    assertThat(up.queues("federation: " + name)).isEmpty();
    assertThat(up.names("exchanges", "federation: " + name)).isEmpty();
  }

  @Test
  void whatIsPublishedWhileTheDownstreamIsAwayComesLater() throws Exception {
    try (RestartedBroker away = RestartedBroker.ended(data, Ending.SIGTERM, 1).start()) {
      try (Site site = new Site(away.process())) {
        site.channel.exchangeDeclare(name, "topic", true);
        site.queueOf(name, "#");
        site.upstream("origin", up.uri(), "\"reconnect-delay\":0.1");
        site.policy("federated", "^" + name + "$", "federation-upstream-pattern", "^or");
        site.awaitLinks(1);
      }
      away.end(Ending.SIGTERM);
      assertThat(up.queues("federation: " + name)).hasSize(1);
      up.publish(name, "k", "1", "2", "3");
      away.start();
      try (Site site = new Site(away.process())) {
        assertThat(site.bodies(name + "-queue", 3)).containsExactly("1", "2", "3");
        site.clear();
      }
    }
  }

  @Test
  void queueGetsMessagesOnlyWhileItsConsumersHaveNothingToDo() throws Exception {
    down.channel.queueDeclare(name, true, false, false, null);
    down.upstream("origin", up.uri(), "\"prefetch-count\":10");
    down.policy("federated", "^" + name + "$", "federation-upstream", "origin");
    down.awaitLinks(1);
    up.publish("", name, numbers(QUEUED).toArray(String[]::new));
    Channel consuming = down.connection.createChannel();
    consuming.basicQos(1);
    Deliveries consumer = Deliveries.from(consuming, name, false);
    Delivery head = consumer.next();
    assertThat(head.body()).isEqualTo("0");
    assertThat(String.valueOf(head.properties().getHeaders()))
        .contains("queue=" + name, "visit-count=1", "x-original-routing-key=" + name);
    // It looks many times a second whether to go on.
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                up.http.get("queues/" + VHOST + "/" + name).json().path("consumers").asInt() == 0);
    assertThat(up.channel.messageCount(name)).isGreaterThan(QUEUED / 4);
    consuming.basicQos(0);
    consuming.basicAck(head.tag(), false);
    List<String> rest = new ArrayList<>();
    for (int i = 1; i < QUEUED; i++) {
      Delivery next = consumer.next();
      rest.add(next.body());
      consuming.basicAck(next.tag(), false);
    }
    assertThat(rest).containsExactlyInAnyOrderElementsOf(numbers(QUEUED).subList(1, QUEUED));
  }

  private static List<String> numbers(int count) {
    return IntStream.range(0, count).mapToObj(Integer::toString).toList();
  }

  @Test
  void consumersOfTheUpstreamGoFirst() throws Exception {
    up.channel.queueDeclare(name, true, false, false, null);
    Deliveries there = Deliveries.from(up.channel, name, true);
    down.channel.queueDeclare(name, true, false, false, null);
    down.upstream("origin", up.uri(), "");
    down.policy("federated", "^" + name + "$", "federation-upstream", "origin");
    down.awaitLinks(1);
    Deliveries here = Deliveries.from(down.channel, name, true);
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                up.http.get("queues/" + VHOST + "/" + name).json().path("consumers").asInt() == 2);
    up.publish("", name, numbers(50).toArray(String[]::new));
    assertThat(there.next(50)).isEqualTo(numbers(50));
    assertThat(here.soFar()).isEmpty();
    there.cancel();
    up.publish("", name, "last");
    assertThat(here.next().body()).isEqualTo("last");
  }

  @Test
  void linkThatIsCutGoesOnWithoutLoss() throws Exception {
    federateExchange("fanout", "\"reconnect-delay\":0.05,\"prefetch-count\":20");
    String queue = down.queueOf(name, "");
    up.awaitBindings(name, 1);
    for (int i = 0; i < 10; i++) {
      up.publish(name, "", numbers(200).subList(i * 20, i * 20 + 20).toArray(String[]::new));
      for (JsonNode connection : up.http.get("connections").json()) {
        if (connection
            .path("client_properties")
            .path("connection_name")
            .asText()
            .startsWith("Fed")) {
          up.http.delete(
              "connections/"
                  + connection.path("name").asText().replace(" ", "%20").replace(">", "%3E"));
        }
      }
    }
    Set<String> got = new TreeSet<>();
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              got.addAll(down.bodies(queue, 0));
              return got.size() == 200;
            });
    assertThat(up.queues("federation: " + name)).hasSize(1);
    down.awaitLinks(1);
    assertThat(up.names("exchanges", "federation: " + name)).hasSize(1);
  }

  @Test
  void setChangesWhatItsUpstreamsSay() throws Exception {
    String there = name + "-there";
    down.channel.exchangeDeclare(name, "direct", true);
    down.upstream("origin", up.uri(), "");
    down.put(
        "parameters/federation-upstream-set/" + VHOST + "/some",
        "{\"value\":[{\"upstream\":\"origin\",\"exchange\":\"%s\"}]}".formatted(there));
    down.policy("federated", "^" + name + "$", "federation-upstream-set", "some");
    down.awaitLinks(1);
    String queue = down.queueOf(name, "k");
    up.awaitBindings(there, 1);
    up.publish(there, "k", "one");
    assertThat(down.bodies(queue, 1)).containsExactly("one");
    assertThat(up.queues("federation: "))
        .contains("federation: %s -> second:%s".formatted(there, name));
  }

  @Test
  void linksAreShownWithoutPasswordsAndRestarted() throws Exception {
    down.channel.exchangeDeclare(name, "direct", true);
    down.upstream("origin", "amqp://guest:wrong-secret@127.0.0.1:" + up.broker.port(), "");
    down.policy("federated", "^" + name + "$", "federation-upstream", "origin");
    await()
        .atMost(Patience.TIME)
        .until(() -> down.links().path(0).path("status").asText().equals("error"));
    assertThat(down.links().path(0).path("error").asText()).contains("upstream", "ACCESS_REFUSED");
    assertThat(down.http.get(LINKS + "/state/down").json()).hasSize(1);
    assertThat(down.http.get(LINKS + "/" + VHOST + "/state/down").json()).hasSize(1);
    ControlCommand control = ControlCommand.of(down.broker);
    for (String text :
        List.of(
            down.links().toString(),
            down.http.get("parameters/federation-upstream").json().toString(),
            control.run("federation_status", "--only-down").text(),
            String.join("\n", second.output()))) {
      assertThat(text).doesNotContain("wrong-secret");
    }
    // A parameter that is not known has no effect, and rabbitmqadmin's own tests set such ones.
    down.upstream("origin", up.uri() + "/%2f?key=unheard-of", "");
    down.awaitLinks(1);
    JsonNode link = down.links().path(0);
    assertThat(link.path("uri").asText())
        .isEqualTo("amqp://127.0.0.1:%d/%%2f".formatted(up.broker.port()));
    assertThat(String.join("\n", second.output()))
        .contains("ignores unknown parameters of the address")
        .doesNotContain("unheard-of");
    String id = link.path("id").asText();
    assertThat(id).matches("[0-9a-f]{8}");
    assertThat(control.run("restart_federation_link", id).exit()).isZero();
    down.awaitLinks(1);
    assertThat(control.run("federation_status", "-q").text()).contains(id, "running", name);
    assertThat(control.run("restart_federation_link", "00000000").err())
        .anyMatch(
            line -> line.contains("Federation link with the given id was not found: 00000000"));
    assertThat(
            down.http
                .delete(
                    "%s/vhost/%s/00000000/%s/restart"
                        .formatted(LINKS, VHOST, link.path("node").asText()))
                .status())
        .isEqualTo(404);
  }

  @Test
  void invalidUpstreamsAndSetsAreRefusedWithAllReasons() throws Exception {
    Http.Reply reply =
        down.http.put(
            "parameters/federation-upstream/" + VHOST + "/wrong",
            "{\"value\":{\"uri\":\"http://x:secret@y\",\"prefetch-count\":-1,\"foo\":1,\"max-hops\":0}}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .contains(
            "Unrecognised term foo in wrong",
            "prefetch-count should be a number, 0 to 65535, actually was -1",
            "max-hops should be a number, 1 to 1000, actually was 0",
            "not a valid URI")
        .doesNotContain("secret");
    for (Map.Entry<String, String> wrong :
        Map.of(
                "{}", "should be a list of objects",
                "[]", "s has no upstream",
                "[{}]", "Key \"upstream\" not found in s",
                "[{\"upstream\":\"a\",\"uri\":\"amqp://\"}]", "Unrecognised term uri in s",
                "[{\"upstream\":\"a\",\"max-hops\":\"x\"}]", "max-hops should be a number")
            .entrySet()) {
      Http.Reply refused =
          down.http.put(
              "parameters/federation-upstream-set/" + VHOST + "/s",
              "{\"value\":%s}".formatted(wrong.getKey()));
      assertThat(refused.status()).as(wrong.getKey()).isEqualTo(400);
      assertThat(refused.reason()).as(wrong.getKey()).contains(wrong.getValue());
    }
    assertThat(
            down.http
                .put(
                    "parameters/federation-upstream-set/" + VHOST + "/all",
                    "{\"value\":[{\"upstream\":\"a\"}]}")
                .reason())
        .contains("the set \"all\" has every upstream");
  }

  @Test
  void withoutUpstreamsThereIsNoThread() {
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(each -> each.contains("federation")));
  }
}
