package io.mayflymq.it.moving;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Moving in from another broker while its clients go on. */
@OwnBroker
@Order(1)
class AdoptIT {
  private static final int MESSAGES = 2_000;

  private EmbeddedBroker old;
  private EmbeddedBroker broker;
  private Connection there;
  private Channel channel;
  private ControlCommand control;
  private String uri;
  private String management;

  @BeforeEach
  void start() throws Exception {
    old = EmbeddedBroker.builder().start();
    broker = EmbeddedBroker.builder().start();
    // They are one process.
    Http.as(old.httpPort(), "guest", "guest").put("cluster-name", "{\"name\":\"old\"}");
    there = old.factory().newConnection();
    channel = there.createChannel();
    channel.confirmSelect();
    control = ControlCommand.of(broker);
    uri = "amqp://guest:guest@127.0.0.1:" + old.port();
    management = "http://127.0.0.1:" + old.httpPort();
  }

  @AfterEach
  void stop() throws Exception {
    there.abort();
    broker.close();
    old.close();
  }

  private Outcome run(String command, String... options) {
    List<String> arguments = new ArrayList<>(List.of(command, uri, "--management", management));
    arguments.addAll(List.of(options));
    return control.run(arguments.toArray(String[]::new));
  }

  private Outcome done(String command, String... options) {
    Outcome outcome = run(command, options);
    assertThat(outcome.exit()).as(outcome.toString()).isZero();
    return outcome;
  }

  private Http here() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private void queue(String name, Map<String, Object> arguments) throws Exception {
    channel.queueDeclare(name, true, false, false, arguments);
  }

  private void publish(String queue, BasicProperties properties, String... bodies)
      throws Exception {
    for (String body : bodies) {
      channel.basicPublish("", queue, properties, bytes(body));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private void publish(String queue, String... bodies) throws Exception {
    publish(queue, MessageProperties.PERSISTENT_BASIC, bodies);
  }

  private List<String> take(EmbeddedBroker from, String queue, int count) throws Exception {
    try (Connection connection = from.factory().newConnection()) {
      Channel taking = connection.createChannel();
      return Deliveries.from(taking, queue, true).next(count);
    }
  }

  @Test
  void dryRunTellsWhatWouldComeAndWhatStays() throws Exception {
    queue("orders", null);
    queue("waiting", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "orders"));
    queue("history", Map.of("x-queue-type", "stream"));
    channel.queueDeclare("replies", false, true, false, null);
    publish("orders", "one", "two");
    publish("waiting", "later");
    Http.as(old.httpPort(), "guest", "guest")
        .put("users/guest", "{\"password\":\"guest\",\"tags\":\"administrator\"}");
    Http.as(old.httpPort(), "guest", "guest")
        .put(
            "parameters/shovel/%2F/out",
            "{\"value\":{\"src-uri\":\"amqp://\",\"src-queue\":\"none\",\"dest-uri\":\"amqp://\",\"dest-queue\":\"none2\"}}");
    Outcome outcome = done("adopt", "--dry-run");
    assertThat(outcome.out())
        .contains(
            "virtual hosts: /",
            "  replaces the one here: user 'guest'",
            "  not before the adoption is finished: shovel 'out' in virtual host '/', which runs there",
            "  'waiting' in virtual host '/': 1 messages wait there for their time, and come when they"
                + " are dead-lettered",
            "  stays: 'history' in virtual host '/': it is a stream: read it there, from an offset, and"
                + " publish what is needed",
            "  stays: 'replies' in virtual host '/': it is exclusive: its client declares it where it"
                + " connects")
        .anyMatch(line -> line.startsWith("queues that would get a link: "))
        .anyMatch(line -> line.startsWith("would be imported: ") && line.contains(" queues"))
        .anyMatch(line -> line.equals("connections of clients there: 1"));
    assertThat(here().get("queues").json()).isEmpty();
    assertThat(here().get("parameters").json()).isEmpty();
    JsonNode json =
        new ObjectMapper().readTree(done("adopt", "--dry-run", "--formatter", "json").text());
    assertThat(json.path("waiting").path(0).path("name").asText()).isEqualTo("waiting");
  }

  /**
   * The old consumer ends when the new one is there; then the publisher goes on with the new
   * broker. What either consumer got is all.
   */
  @Test
  void clientsMoveWhileTheyWorkAndNothingIsLost() throws Exception {
    queue("orders", null);
    channel.exchangeDeclare("events", "topic", true);
    channel.queueBind("orders", "events", "order.*");
    publish("orders", IntStream.range(0, 100).mapToObj(Integer::toString).toArray(String[]::new));
    Channel consuming = there.createChannel();
    consuming.basicQos(10);
    Deliveries before = Deliveries.from(consuming, "orders", true);
    assertThat(done("adopt").text()).contains("links 1", "finish_adoption");

    TreeSet<Integer> received = new TreeSet<>();
    try (Connection connection = broker.factory().newConnection()) {
      Deliveries after = Deliveries.from(connection.createChannel(), "orders", true);
      Channel publishing = connection.createChannel();
      publishing.confirmSelect();
      for (int i = 100; i < MESSAGES; i++) {
        Channel chosen = i < MESSAGES / 2 ? channel : publishing;
        chosen.basicPublish(
            "events", "order.new", MessageProperties.PERSISTENT_BASIC, bytes(String.valueOf(i)));
        if (i == MESSAGES / 4) {
          before.cancel();
        }
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      assertThat(publishing.waitForConfirms(Patience.MILLIS)).isTrue();
      assertThat(run("finish_adoption").err())
          .anyMatch(line -> line.contains("1 connections of clients still use the other broker"));
      there.close();
      assertThat(done("finish_adoption").text()).contains("has no messages left");
      await()
          .atMost(Patience.TIME)
          .until(
              () -> {
                before.soFar().forEach(each -> received.add(Integer.valueOf(each.body())));
                after.soFar().forEach(each -> received.add(Integer.valueOf(each.body())));
                return received.size() == MESSAGES;
              });
    }
    assertThat(here().get("federation-links").json()).isEmpty();
    assertThat(here().get("parameters").json()).isEmpty();
  }

  /** They wait where they are, for the time that is left to them. */
  @Test
  void messagesThatWaitForTheirTimeComeWhenItHasCome() throws Exception {
    queue("work", null);
    queue("retry", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "work"));
    publish("retry", new BasicProperties.Builder().deliveryMode(2).expiration("3000").build(), "a");
    done("adopt");
    there.close();
    assertThat(run("finish_adoption").err())
        .anyMatch(line -> line.contains("'retry' in virtual host '/': 1 messages"));
    assertThat(take(broker, "work", 1)).containsExactly("a");
    done("finish_adoption");
    assertThat(here().get("federation-links").json()).isEmpty();
  }

  @Test
  void queuesWithoutConsumersAreMovedAtTheEnd() throws Exception {
    queue("parked", null);
    publish("parked", "a", "b", "c");
    done("adopt");
    there.close();
    assertThat(done("adoption_status").out())
        .contains(
            "connections of clients there: 0",
            "  'parked' in virtual host '/': 3 messages there, link running");
    done("finish_adoption");
    assertThat(take(broker, "parked", 3)).containsExactly("a", "b", "c");
  }

  @Test
  void whatWasChangedHereMeanwhileStaysAndWhatIsNewThereComesAtTheEnd() throws Exception {
    Http at = Http.as(old.httpPort(), "guest", "guest");
    at.put("policies/%2F/limit", "{\"pattern\":\".\",\"definition\":{\"max-length\":7}}");
    done("adopt");
    here().put("policies/%2F/limit", "{\"pattern\":\".\",\"definition\":{\"max-length\":9}}");
    at.put("policies/%2F/late", "{\"pattern\":\"^l\",\"definition\":{\"max-length\":3}}");
    queue("late", null);
    there.close();
    done("finish_adoption");
    assertThat(here().get("policies/%2F/limit").json().at("/definition/max-length").asInt())
        .isEqualTo(9);
    assertThat(here().get("policies/%2F/late").json().at("/definition/max-length").asInt())
        .isEqualTo(3);
    assertThat(here().get("queues/%2F/late").status()).isEqualTo(200);
  }

  @Test
  void oneBrokerAtATimeIsAdopted() throws Exception {
    done("adopt");
    try (EmbeddedBroker second = EmbeddedBroker.builder().start()) {
      assertThat(
              control
                  .run(
                      "adopt",
                      "amqp://guest:guest@127.0.0.1:" + second.port(),
                      "--management",
                      "http://127.0.0.1:" + second.httpPort())
                  .err())
          .anyMatch(
              line ->
                  line.contains(
                      "virtual host '/' adopts amqp://127.0.0.1:%d/%%2F: expected that finish_adoption"
                              .formatted(old.port())
                          + " or undo_adoption ends that first"));
    }
    // Again, the same one: what was declared there meanwhile comes.
    queue("late", null);
    done("adopt");
    assertThat(here().get("queues/%2F/late").status()).isEqualTo(200);
  }

  @Test
  void messagesGoBackWithTheTimeThatIsLeft() throws Exception {
    queue("orders", null);
    done("adopt");
    there.close();
    try (Connection connection = broker.factory().newConnection()) {
      Channel publishing = connection.createChannel();
      publishing.confirmSelect();
      publishing.basicPublish("", "orders", MessageProperties.PERSISTENT_BASIC, bytes("a"));
      publishing.basicPublish(
          "",
          "orders",
          new BasicProperties.Builder().deliveryMode(2).expiration("3600000").build(),
          bytes("b"));
      assertThat(publishing.waitForConfirms(Patience.MILLIS)).isTrue();
      assertThat(run("undo_adoption").err())
          .anyMatch(line -> line.contains("connections of clients still use this broker"));
    }
    assertThat(done("undo_adoption").text()).contains("what could be moved is at");
    assertThat(here().get("parameters").json()).isEmpty();
    try (Connection connection = old.factory().newConnection()) {
      Deliveries back = Deliveries.from(connection.createChannel(), "orders", true);
      assertThat(back.next().properties().getExpiration()).isNull();
      assertThat(Long.parseLong(back.next().properties().getExpiration()))
          .isBetween(3_000_000L, 3_599_999L);
    }
  }

  @Test
  void whatCannotBeAdoptedIsRefusedWithTheReason() throws Exception {
    assertThat(control.run("adopt", "amqp://").err())
        .anyMatch(line -> line.contains("names no host"));
    assertThat(control.run("adopt", "http://other").err())
        .anyMatch(line -> line.contains("expected amqp:// or amqps://"));
    assertThat(
            control
                .run("adopt", "amqp://guest:secret@127.0.0.1:1", "--management", "ftp://x")
                .err())
        .anyMatch(line -> line.contains("--management 'ftp://x' is no address"));
    Outcome nothing =
        control.run(
            "adopt", "amqp://guest:secret@127.0.0.1:1", "--management", "http://127.0.0.1:1");
    assertThat(nothing.err())
        .anyMatch(line -> line.contains("the management API of the other broker cannot be had"));
    assertThat(String.join("\n", nothing.err())).doesNotContain("secret");
    assertThat(
            control
                .run("adopt", "amqp://guest:wrong@127.0.0.1:1", "--management", management)
                .err())
        .anyMatch(line -> line.contains("with 401"));
    assertThat(run("adopt", "--vhost", "none").err())
        .anyMatch(line -> line.contains("there is no virtual host 'none'"));
    assertThat(run("finish_adoption").err())
        .anyMatch(line -> line.contains("is not being adopted"));
    assertThat(
            control
                .run(
                    "adopt",
                    "amqp://guest:guest@127.0.0.1:" + broker.port(),
                    "--management",
                    "http://127.0.0.1:" + broker.httpPort())
                .err())
        .anyMatch(line -> line.contains("is this broker itself"));
    Http.as(old.httpPort(), "guest", "guest").put("vhosts/locked", "{}");
    Http.as(old.httpPort(), "guest", "guest").delete("permissions/locked/guest");
    assertThat(run("adopt").err())
        .anyMatch(
            line -> line.contains("user 'guest' has no permissions in virtual host 'locked'"));
    assertThat(here().get("vhosts").json()).hasSize(1);
  }
}
