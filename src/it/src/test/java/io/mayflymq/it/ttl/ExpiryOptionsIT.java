package io.mayflymq.it.ttl;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests TTL modes, expiry modes and dead-lettering reasons in all combinations, while the broker
 * runs and across a restart.
 */
@OwnBroker
class ExpiryOptionsIT {
  private static final int QUEUE_TTL = 3_000;
  private static final int SHORT = 1_000;
  private static final int LONG = 600_000;

  @TempDir Path data;
  private RestartedBroker broker;

  @BeforeEach
  void start() {
    broker = RestartedBroker.embedded(data);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  /** How messages die in a queue of three: one of a long TTL, a short one, and one without. */
  private record Modes(String ttl, String expiry, String on) {
    static List<Modes> all() {
      List<Modes> all = new ArrayList<>();
      for (String ttl : List.of("min", "message-first", "queue-only")) {
        for (String expiry : List.of("exact", "head", "lazy")) {
          for (String on : List.of("rejected,expired", "rejected")) {
            all.add(new Modes(ttl, expiry, on));
          }
        }
      }
      return all;
    }

    String queue() {
      return ttl + "/" + expiry + "/" + on;
    }

    String deadLetterQueue() {
      return "dead/" + queue();
    }

    Map<String, Object> arguments() {
      return Map.of(
          "x-message-ttl", QUEUE_TTL,
          "x-message-ttl-mode", ttl,
          "x-expiry-mode", expiry,
          "x-dead-letter-exchange", "",
          "x-dead-letter-routing-key", deadLetterQueue(),
          "x-dead-letter-on", on);
    }

    /** The TTL of each message, in the order of publishing; at least two seconds from now. */
    private Map<String, Integer> lives() {
      Map<String, Integer> lives = new LinkedHashMap<>();
      boolean own = !ttl.equals("queue-only");
      lives.put("long", ttl.equals("message-first") ? LONG : QUEUE_TTL);
      lives.put("short", own ? SHORT : QUEUE_TTL);
      lives.put("none", QUEUE_TTL);
      return lives;
    }

    /** Who has left by itself after the queue's TTL, in order; or, if all are looked at once. */
    List<String> dead(boolean looked) {
      Map<String, Integer> lives = lives();
      if (expiry.equals("head")) {
        return lives.get("long") == LONG ? List.of() : List.copyOf(lives.keySet());
      }
      if (expiry.equals("lazy") && !looked) {
        return List.of();
      }
      return lives.keySet().stream()
          .filter(message -> lives.get(message) <= QUEUE_TTL)
          .sorted(Comparator.comparing(lives::get))
          .toList();
    }

    List<String> deadLetters(boolean looked) {
      return on.contains("expired") ? dead(looked) : List.of();
    }

    /** What {@code basic.get} still finds: it looks at whatever is too old on its way. */
    List<String> found() {
      return lives().get("long") == LONG ? List.of("long") : List.of();
    }
  }

  private void declareAndFill() throws Exception {
    for (Modes modes : Modes.all()) {
      broker.queue(modes.deadLetterQueue());
      broker.queue(modes.queue(), modes.arguments());
    }
    for (Modes modes : Modes.all()) {
      broker.publish(modes.queue(), expiring(LONG), bytes("long"));
      broker.publish(modes.queue(), expiring(SHORT), bytes("short"));
      broker.publish(modes.queue(), RestartedBroker.PERSISTENT, bytes("none"));
    }
    broker.awaitConfirms();
  }

  private static BasicProperties expiring(int ttl) {
    return RestartedBroker.PERSISTENT.builder().expiration(Integer.toString(ttl)).build();
  }

  private void assertLeft(boolean looked) throws Exception {
    for (Modes modes : Modes.all()) {
      await(modes.toString())
          .atMost(Patience.TIME)
          .until(() -> count(modes.queue()) == 3 - modes.dead(looked).size());
      await(modes.toString())
          .atMost(Patience.TIME)
          .until(() -> count(modes.deadLetterQueue()) == modes.deadLetters(looked).size());
      assertThat(broker.bodies(modes.deadLetterQueue()))
          .as(modes.toString())
          .containsExactlyElementsOf(modes.deadLetters(looked));
    }
  }

  private long count(String queue) throws Exception {
    return broker.channel().messageCount(queue);
  }

  @Test
  void everyTtlModeWorksWithEveryExpiryMode() throws Exception {
    broker.start();
    declareAndFill();
    Time.pass(QUEUE_TTL);
    assertLeft(false);
    for (Modes modes : Modes.all()) {
      assertThat(broker.bodies(modes.queue())).as(modes.toString()).isEqualTo(modes.found());
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyTtlModeWorksWithEveryExpiryModeAcrossARestart(Ending ending) throws Exception {
    broker = RestartedBroker.ended(data, ending, 1).start();
    declareAndFill();
    broker.end(ending);
    Time.pass(QUEUE_TTL);
    broker.start();
    assertLeft(true);
    for (Modes modes : Modes.all()) {
      assertThat(broker.bodies(modes.queue())).as(modes.toString()).isEqualTo(modes.found());
    }
  }

  @Test
  void lazyExpiryRemovesMessagesOnlyWhenTheyAreRequested() throws Exception {
    broker.start();
    broker.queue("dead");
    broker.queue(
        "q",
        Map.of(
            "x-message-ttl", 500,
            "x-expiry-mode", "lazy",
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "dead"));
    broker.publish("q", "returned", "delivered");
    Channel channel = broker.channel();
    long tag = channel.basicGet("q", false).getEnvelope().getDeliveryTag();
    Time.pass(600);
    assertThat(count("q")).as("too old, and still there").isEqualTo(1);
    channel.basicReject(tag, true);
    await().atMost(Patience.TIME).until(() -> count("dead") == 1);
    assertThat(broker.bodies("dead")).containsExactly("returned");

    Deliveries consumer = Deliveries.from(channel, "q", true);
    await().atMost(Patience.TIME).until(() -> count("dead") == 1);
    consumer.assertNothing();
    consumer.cancel();
    broker.publish("q", "purged");
    Time.pass(600);
    assertThat(channel.queuePurge("q").getMessageCount()).isEqualTo(1);
    assertThat(broker.bodies("dead")).containsExactly("delivered");
  }

  @Test
  void aTtlFloorRaisesShorterTtls() throws Exception {
    broker.start();
    broker.queue("floor", Map.of("x-message-ttl", 1, "x-message-ttl-floor", 600_000));
    broker.publish("floor", expiring(0), bytes("own"));
    broker.publish("floor", "queue's");
    broker.awaitConfirms();
    Time.pass(50);
    assertThat(broker.bodies("floor")).containsExactly("own", "queue's");
  }

  @Test
  void aPolicySetsTheExpiryOptionsAndExplainsThem() throws Exception {
    broker.start();
    broker.queue("q", Map.of("x-message-ttl", 1));
    Http http = http();
    assertThat(
            http.put(
                    "policies/%2F/p",
                    "{\"pattern\":\"q\",\"definition\":"
                        + "{\"expiry-mode\":\"lazy\",\"message-ttl-mode\":\"queue-only\"}}")
                .status())
        .isEqualTo(201);
    broker.publish("q", expiring(LONG), bytes("m"));
    broker.awaitConfirms();
    Time.pass(50);
    assertThat(count("q")).isEqualTo(1);
    JsonNode settings = http.get("queues/%2F/q/effective").json().path("settings");
    assertThat(settings.findValuesAsText("key"))
        .containsExactly("expiry-mode", "message-ttl", "message-ttl-mode");
    assertThat(http.delete("policies/%2F/p").status()).isEqualTo(204);
    await().atMost(Patience.TIME).until(() -> count("q") == 0);
  }

  @Test
  void theConfigurationHasDefaultsAndSwitchesForExpiry() throws Exception {
    broker
        .set("defaults.expiry-mode", "lazy")
        .set("defaults.max-length-scope", "total")
        .set("dead_letter.enabled", "false")
        .start();
    broker.queue("dead");
    broker.queue(
        "q",
        Map.of(
            "x-message-ttl", 1, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
    broker.publish("q", "lazily");
    broker.awaitConfirms();
    Time.pass(50);
    assertThat(count("q")).isEqualTo(1);
    assertThat(broker.get("q")).isNull();
    assertThat(count("dead")).isZero();
    broker.end(Ending.SIGTERM);

    broker.set("ttl.enabled", "false").set("dead_letter.enabled", "true").start();
    broker.publish("q", expiring(0), bytes("for ever"));
    broker.awaitConfirms();
    Time.pass(50);
    assertThat(broker.bodies("q")).containsExactly("for ever");
    JsonNode settings = http().get("queues/%2F/q/effective").json().path("settings");
    assertThat(settings.findValuesAsText("origin")).contains("default");
  }

  @Test
  void theConfigurationHasADefaultTtlAndAMinimumLease() throws Exception {
    broker
        .set("defaults.message-ttl", "1")
        .set("queue_expires.minimum", Integer.toString(LONG))
        .start();
    broker.queue("default");
    broker.queue("own", Map.of("x-message-ttl", LONG));
    broker.queue("leased", Map.of("x-expires", 50));
    broker.publish("default", expiring(LONG), bytes("no longer than that"));
    broker.publish("own", "stays");
    await().atMost(Patience.TIME).until(() -> count("default") == 0);
    Time.pass(200);
    assertThat(broker.bodies("own")).containsExactly("stays");
    assertThat(count("leased")).as("it is still there").isZero();
  }

  @Test
  void aLengthLimitCanCountUnacknowledgedMessages() throws Exception {
    broker.start();
    Map<String, Object> arguments =
        Map.of("x-max-length", 2, "x-max-length-scope", "total", "x-overflow", "reject-publish");
    broker.queue("total", arguments);
    broker.publish("total", "a", "b");
    Channel channel = broker.channel();
    long tag = channel.basicGet("total", false).getEnvelope().getDeliveryTag();
    assertThat(isAccepted("total")).as("one ready and one not").isFalse();
    channel.basicAck(tag, false);
    await().atMost(Patience.TIME).until(() -> isAccepted("total"));
  }

  private boolean isAccepted(String queue) throws Exception {
    Channel publisher = broker.connect().createChannel();
    publisher.confirmSelect();
    publisher.basicPublish("", queue, RestartedBroker.PERSISTENT, bytes("new"));
    return publisher.waitForConfirms(Patience.MILLIS);
  }

  @Test
  void aRedeclarationCanOmitMayflysOwnArguments() throws Exception {
    broker.start();
    broker.queue("q", Map.of("x-message-ttl", LONG, "x-expiry-mode", "lazy"));
    broker.queue("q", Map.of("x-message-ttl", LONG));
    broker.queue("q", Map.of("x-message-ttl", LONG, "x-expiry-mode", "head"));
    broker.end(Ending.SIGTERM);

    broker.set("declare.extension_args_in_equivalence", "true").start();
    broker.queue("q", Map.of("x-message-ttl", LONG, "x-expiry-mode", "lazy"));
    assertChannelError(
        broker.channel(),
        406,
        "PRECONDITION_FAILED - inequivalent arg 'x-expiry-mode' for queue 'q' in vhost '/': received 'head' but current is"
            + " 'lazy'",
        () ->
            broker
                .channel()
                .queueDeclare(
                    "q",
                    true,
                    false,
                    false,
                    Map.of("x-message-ttl", LONG, "x-expiry-mode", "head")));
  }

  @Test
  void invalidExpiryOptionsAreRefused() throws Exception {
    broker.start();
    Map.of(
            "x-expiry-mode", "\"eager\" is not one of: exact, head, lazy",
            "x-message-ttl-mode", "\"eager\" is not one of: min, message-first, queue-only",
            "x-max-length-scope", "\"eager\" is not one of: ready, total",
            "x-dead-letter-queue", "\"eager\" is not one of: none, auto")
        .forEach(
            (argument, complaint) -> {
              try {
                assertChannelError(
                    broker.channel(),
                    406,
                    "PRECONDITION_FAILED - invalid arg '%s' for queue 'bad' in vhost '/': <<%s"
                        .formatted(argument, complaint.replaceFirst("\" is", "\">> is")),
                    () ->
                        broker
                            .channel()
                            .queueDeclare("bad", true, false, false, Map.of(argument, "eager")));
              } catch (Exception e) {
                throw new AssertionError(argument, e);
              }
            });
  }

  private Http http() {
    return Http.as(broker.process().httpPort(), "guest", "guest");
  }
}
