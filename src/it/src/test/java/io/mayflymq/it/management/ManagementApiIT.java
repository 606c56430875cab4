package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.net.URLEncoder;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the management API with plain requests: JSON, status codes and errors. */
@BlackBox
class ManagementApiIT {
  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.forEach(element -> texts.add(element.path(field).asText()));
    return texts;
  }

  /** RabbitMQ's management shows most objects only after the next statistics. */
  private JsonNode await(String path, String field, long value) {
    return Awaitility.await(path + " with " + field + " = " + value)
        .atMost(Patience.TIME)
        .until(
            () -> http.get(path).json(),
            json -> at(json, field).isNumber() && at(json, field).asLong() == value);
  }

  private static JsonNode at(JsonNode json, String path) {
    return json.at("/" + path.replace('.', '/'));
  }

  // Permissions

  @Test
  void asksForCredentials() throws Exception {
    Http.Reply reply = http.anonymous().get("whoami");
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.raw().headers().firstValue("www-authenticate").orElse("")).contains("Basic");
  }

  @Test
  void refusesAWrongPassword(Target target) throws Exception {
    Http.Reply reply = Http.as(target.httpPort(), "guest", "wrong").get("whoami");
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.error()).isEqualTo("not_authorized");
    assertThat(reply.reason()).isEqualTo("Login failed");
  }

  @Test
  void whoamiReturnsTheUser() throws Exception {
    JsonNode me = http.get("whoami").json();
    assertThat(me.path("name").asText()).isEqualTo("guest");
    assertThat(me.path("tags").get(0).asText()).isEqualTo("administrator");
  }

  // Missing objects

  @ParameterizedTest
  @CsvSource({
    "nope", "queues/%2F/nope", "queues/nope", "queues/nope/q", "exchanges/%2F/nope",
    "connections/nope", "channels/nope", "vhosts/nope", "consumers/nope", "users/nope",
    "bindings/%2F/e/amq.direct/q/nope/nope", "aliveness-test/nope"
  })
  void missingObjectsAre404(String path) throws Exception {
    Http.Reply reply = http.get(path);
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.error()).isEqualTo("Object Not Found");
    assertThat(reply.reason()).isEqualTo("Not Found");
  }

  @Test
  @MayflyOnly("RabbitMQ's text only")
  void whatIsMissingIsNamedWithTheNearestName(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String mistyped = queue.substring(0, queue.length() - 1);
    assertThat(http.get("queues/%2F/" + mistyped).detail())
        .startsWith("there is no queue '%s' in vhost '/'; did you mean '".formatted(mistyped));
    assertThat(http.get("exchanges/%2F/amq.topci").detail())
        .isEqualTo("there is no exchange 'amq.topci' in vhost '/'; did you mean 'amq.topic'?");
    assertThat(http.get("queues/never-made-here/q").detail())
        .isEqualTo("there is no vhost 'never-made-here' for user 'guest'");
    assertThat(http.get("users/never-made-here").detail())
        .isEqualTo("User \"never-made-here\" does not exist");
  }

  @Test
  @MayflyOnly("RabbitMQ takes it without a word")
  void anArgumentOneEditFromAKnownOneIsShown(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-mesage-ttl", 1000, "x-other", 1));
    assertThat(http.get("queues/%2F/" + queue + "/effective").json().path("mistyped_arguments"))
        .hasToString("{\"x-mesage-ttl\":\"x-message-ttl\"}");
  }

  @Test
  void anUnsupportedMethodIs405() throws Exception {
    Http.Reply reply = http.post("queues/%2F/q", "{}");
    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.raw().headers().firstValue("allow").orElse(""))
        .contains("GET", "PUT", "DELETE");
  }

  // Queues

  @Test
  void anArgumentWithoutAValueIsUndefined(Amqp amqp) throws Exception {
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("n", null);
    String queue = amqp.queue(arguments);
    assertThat(http.get("queues/%2F/" + queue).json().path("arguments"))
        .hasToString("{\"n\":\"undefined\",\"x-queue-type\":\"classic\"}");
  }

  @Test
  void declaresAndDeletesAQueue(Amqp amqp) throws Exception {
    String path = "queues/%2F/" + amqp.name();
    String body = "{\"durable\":false,\"arguments\":{\"x-message-ttl\":60000}}";
    assertThat(http.put(path, body).status()).isEqualTo(201);
    assertThat(http.put(path, body).status()).isEqualTo(204);
    JsonNode queue = http.get(path).json();
    assertThat(queue.path("arguments").path("x-message-ttl").asInt()).isEqualTo(60000);
    assertThat(queue.path("vhost").asText()).isEqualTo("/");
    assertThat(queue.path("type").asText()).isEqualTo("classic");
    assertThat(queue.path("durable").asBoolean()).isFalse();
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertThat(http.get(path).status()).isEqualTo(404);
  }

  @Test
  void aNameCanContainAnyCharacter(Amqp amqp) throws Exception {
    String base = amqp.name();
    String path = "queues/%2F/" + base + "%2F%20a+b%25%C3%BC";
    assertThat(http.put(path, "{}").status()).isEqualTo(201);
    String name = base + "/ a+b%\u00fc";
    assertThat(amqp.ready(name)).isZero();
    assertThat(http.get(path).json().path("name").asText()).isEqualTo(name);
    assertThat(http.delete(path).status()).isEqualTo(204);
  }

  @Test
  void lineBreaksInNamesAreIgnored(Amqp amqp) throws Exception {
    for (String kind : List.of("queues", "exchanges")) {
      String path = kind + "/%2F/" + amqp.name();
      assertThat(http.put(path + "%0D%0A-b", "{}").status()).isEqualTo(201);
      assertThat(http.get(path + "-b").status()).as(kind).isEqualTo(200);
      assertThat(http.delete(path + "-b").status()).isEqualTo(204);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"durable\":\"yes\"} | [\"not_boolean\",\"yes\"]",
        "{bad | \"not_json",
        "[1] | \"not_json",
      })
  void aBadBodyIs400(String body, String reason, Amqp amqp) throws Exception {
    Http.Reply reply = http.put("queues/%2F/" + amqp.name(), body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("bad_request");
    assertThat(reply.json().path("reason").toString()).startsWith(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nope@nowhere", ""})
  void aNodeThatIsNoMemberIs400(String node, Amqp amqp) throws Exception {
    String body = "{\"node\":\"%s\"}".formatted(node);
    String reason = "Node %s is not a cluster member".formatted(node);
    assertThat(http.put("queues/%2F/" + amqp.name(), body).reason()).isEqualTo(reason);
    Http.Reply reply = http.put("exchanges/%2F/" + amqp.name(), body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("bad_request");
    assertThat(reply.reason()).isEqualTo(reason);
    assertThat(http.get("queues/%2F/" + amqp.name()).status()).isEqualTo(404);
    assertThat(http.get("exchanges/%2F/" + amqp.name()).status()).isEqualTo(404);
  }

  @Test
  void aNodeMayBeNamed(Amqp amqp) throws Exception {
    String node = http.get("overview").json().path("node").asText();
    String body = "{\"node\":\"%s\"}".formatted(node);
    for (String kind : List.of("queues", "exchanges")) {
      String path = kind + "/%2F/" + amqp.name();
      assertThat(http.put(path, body).status()).isEqualTo(201);
      assertThat(http.delete(path).status()).isEqualTo(204);
    }
  }

  @Test
  void errorsOfAmqpAre400WithTheirText(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Http.Reply reply = http.put("queues/%2F/" + queue, "{\"arguments\":{\"x-message-ttl\":1000}}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .isEqualTo(
            "inequivalent arg 'x-message-ttl' for queue '%s' in vhost '/': received the value"
                    .formatted(queue)
                + " '1000' of type 'long' but current is none");
    Http.Reply invalid =
        http.put("queues/%2F/" + amqp.name(), "{\"arguments\":{\"x-message-ttl\":\"abc\"}}");
    assertThat(invalid.status()).isEqualTo(400);
    assertThat(invalid.reason()).endsWith("\"expected integer, got longstr\"");
  }

  @Test
  @MayflyOnly("lets caches keep definitions, which have hashes of passwords")
  void noCacheKeepsAnAnswerAndNoBrowserTakesItForAPage() throws Exception {
    for (Http.Reply reply :
        List.of(
            http.get("definitions"),
            http.get("queues/%2F/nothing"),
            http.anonymous().get("whoami"))) {
      HttpHeaders headers = reply.raw().headers();
      assertThat(headers.firstValue("cache-control")).contains("no-store");
      assertThat(headers.firstValue("x-content-type-options")).contains("nosniff");
      assertThat(headers.firstValue("content-security-policy"))
          .contains("default-src 'none'; frame-ancestors 'none'");
    }
  }

  @Test
  void aReservedNameIsRefused() throws Exception {
    Http.Reply reply = http.put("queues/%2F/amq.mine", "{}");
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.error()).isEqualTo("not_authorised");
  }

  @Test
  void ifUnusedAndIfEmptyAreCheckedAtADeletion(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "stays");
    Http.Reply full = http.delete("queues/%2F/" + queue + "?if-empty=true");
    assertThat(full.status()).isEqualTo(400);
    assertThat(full.reason()).isEqualTo("queue '%s' in vhost '/' not empty".formatted(queue));
    amqp.consume(queue);
    Http.Reply used = http.delete("queues/%2F/" + queue + "?if-unused=true");
    assertThat(used.status()).isEqualTo(400);
    assertThat(used.reason()).isEqualTo("queue '%s' in vhost '/' in use".formatted(queue));
  }

  @Test
  void anExclusiveQueueIsLockedToItsConnection(Amqp amqp) throws Exception {
    String name = amqp.channel().queueDeclare().getQueue();
    Http.Reply reply = http.delete("queues/%2F/" + name);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .startsWith("cannot obtain exclusive access to locked queue '%s'".formatted(name));
  }

  @Test
  void countsMessagesAndBytes(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "12345");
    amqp.publish(queue, "123");
    GetResponse taken = amqp.channel().basicGet(queue, false);
    await("queues/%2F/" + queue, "messages_unacknowledged", 1);
    JsonNode json = await("queues/%2F/" + queue, "message_bytes", 8);
    assertThat(json.path("messages").asInt()).isEqualTo(2);
    assertThat(json.path("messages_ready").asInt()).isEqualTo(1);
    assertThat(json.path("message_bytes_ready").asInt()).isEqualTo(3);
    amqp.channel().basicAck(taken.getEnvelope().getDeliveryTag(), false);
    JsonNode stats = await("queues/%2F/" + queue, "message_stats.ack", 1).path("message_stats");
    assertThat(stats.path("publish").asInt()).isEqualTo(2);
    assertThat(stats.path("get").asInt()).isEqualTo(1);
    assertThat(stats.path("deliver_get").asInt()).isEqualTo(1);
    assertThat(stats.path("publish_details").path("rate").isNumber()).isTrue();
  }

  @Test
  void purgesAQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "gone");
    assertThat(http.delete("queues/%2F/" + queue + "/contents").status()).isEqualTo(204);
    assertThat(amqp.ready(queue)).isZero();
    assertThat(http.delete("queues/%2F/" + amqp.name() + "/contents").status()).isEqualTo(404);
  }

  @Test
  @MayflyOnly("RabbitMQ does not count how messages die")
  void countsExpiredRejectedAndDroppedMessages(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of("x-max-length", 1)));
    amqp.publish(queue, "dropped");
    amqp.publishExpiring(queue, 1, "expired");
    amqp.awaitReady(dead, 2);
    JsonNode stats = http.get("queues/%2F/" + queue).json().path("message_stats");
    assertThat(stats.path("maxlen").asInt()).isEqualTo(1);
    assertThat(stats.path("expired").asInt()).isEqualTo(1);
    assertThat(stats.path("dead_lettered").asInt()).isEqualTo(2);
  }

  // Pages

  @Test
  void listsByPages(Amqp amqp) throws Exception {
    String base = amqp.name().replace('.', '-') + "-page";
    for (int i = 0; i < 3; i++) {
      assertThat(http.put("queues/%2F/" + base + i, "{}").status()).isEqualTo(201);
    }
    JsonNode page =
        http.get("queues?page=2&page_size=2&columns=name,vhost&sort=name&name=" + base).json();
    assertThat(page.path("filtered_count").asInt()).isEqualTo(3);
    assertThat(page.path("item_count").asInt()).isEqualTo(1);
    assertThat(page.path("page_count").asInt()).isEqualTo(2);
    assertThat(page.path("page").asInt()).isEqualTo(2);
    assertThat(page.path("page_size").asInt()).isEqualTo(2);
    assertThat(page.path("total_count").asInt()).isGreaterThanOrEqualTo(3);
    assertThat(page.path("items").get(0).size()).isEqualTo(2);
    assertThat(texts(page.path("items"), "name")).containsExactly(base + 2);
    JsonNode backwards =
        http.get(
                "queues?page=1&sort=name&sort_reverse=true&use_regex=true&name=%5E"
                    + base
                    + "%5B01%5D")
            .json();
    assertThat(texts(backwards.path("items"), "name")).containsExactly(base + 1, base + 0);
    JsonNode others =
        http.get("queues?page=1&use_regex=true&name=%5E(%3F!" + base + "1)" + base).json();
    assertThat(texts(others.path("items"), "name")).containsExactly(base + 0, base + 2);
    for (int i = 0; i < 3; i++) {
      assertThat(http.delete("queues/%2F/" + base + i).status()).isEqualTo(204);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "page=99&page_size=500, page_out_of_range",
    "page=0, invalid_pagination_parameters",
    "page=1&page_size=501, invalid_pagination_parameters",
    "page=x, bad_request"
  })
  void anInvalidPageIs400(String query, String error) throws Exception {
    Http.Reply reply = http.get("queues?" + query);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo(error);
  }

  @Test
  @MayflyOnly("RabbitMQ finds nothing then")
  void anInvalidPatternOfAFilterIs400() throws Exception {
    Http.Reply reply = http.get("queues?page=1&name=%5B&use_regex=true");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .isEqualTo("name: invalid regular expression '[': Unclosed character class");
  }

  // Exchanges and bindings

  @Test
  void declaresBindsAndDeletesAnExchange(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String exchange = amqp.name();
    assertThat(http.put("exchanges/%2F/" + exchange, "{\"type\":\"topic\"}").status())
        .isEqualTo(201);
    assertThat(http.put("exchanges/%2F/" + exchange, "{\"type\":\"topic\"}").status())
        .isEqualTo(204);
    assertThat(http.put("exchanges/%2F/" + exchange, "{\"type\":\"direct\"}").reason())
        .isEqualTo(
            "inequivalent arg 'type' for exchange '%s' in vhost '/': received 'direct' but current"
                    .formatted(exchange)
                + " is 'topic'");
    String between = "bindings/%2F/e/" + exchange + "/q/" + queue;
    Http.Reply bound = http.post(between, "{\"routing_key\":\"a/b c\",\"arguments\":{\"x\":1}}");
    assertThat(bound.status()).isEqualTo(201);
    assertThat(http.post(between, "{}").status()).isEqualTo(201);
    JsonNode bindings = http.get(between).json();
    assertThat(texts(bindings, "routing_key")).containsExactlyInAnyOrder("", "a/b c");
    assertThat(texts(bindings, "destination_type")).containsOnly("queue");
    assertThat(http.get(between + "/~").json().path("routing_key").asText()).isEmpty();
    String location = bound.raw().headers().firstValue("location").orElseThrow();
    String key = location.substring(location.indexOf('/') + 1);
    assertThat(http.get(between + "/" + key).json().path("routing_key").asText())
        .isEqualTo("a/b c");
    assertThat(http.delete(between + "/" + key).status()).isEqualTo(204);
    assertThat(http.delete(between + "/" + key).status()).isEqualTo(404);
    assertThat(http.get("queues/%2F/" + queue + "/bindings").json()).hasSize(2);
    assertThat(http.get("exchanges/%2F/" + exchange + "/bindings/source").json()).hasSize(1);
    assertThat(http.delete("exchanges/%2F/" + exchange).status()).isEqualTo(204);
  }

  @Test
  void bindingNeedsBothEnds(Amqp amqp) throws Exception {
    Http.Reply reply = http.post("bindings/%2F/e/amq.direct/q/nope", "{}");
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.reason()).isEqualTo("no queue 'nope' in vhost '/'");
    Http.Reply other = http.post("bindings/%2F/e/nope/q/" + amqp.queue(), "{}");
    assertThat(other.reason()).isEqualTo("no exchange 'nope' in vhost '/'");
  }

  @Test
  void theDefaultExchangeHasABindingToEachQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    JsonNode bindings = http.get("bindings/%2F/e/amq.default/q/" + queue).json();
    assertThat(bindings).hasSize(1);
    assertThat(bindings.get(0).path("source").asText()).isEmpty();
    assertThat(bindings.get(0).path("properties_key").asText()).isEqualTo(queue);
  }

  @Test
  void predeclaredExchangesCannotBeChanged() throws Exception {
    assertThat(http.delete("exchanges/%2F/amq.direct").status()).isEqualTo(401);
    assertThat(http.put("exchanges/%2F/amq.mine", "{\"type\":\"direct\"}").status()).isEqualTo(401);
    Http.Reply unknown = http.put("exchanges/%2F/mine", "{\"type\":\"nope\"}");
    assertThat(unknown.status()).isEqualTo(400);
    // RabbitMQ says "invalid" of a type that it has heard of before, such as in this test.
    assertThat(unknown.reason()).matches("(unknown|invalid) exchange type 'nope'");
  }

  // Connections, channels, consumers

  @Test
  void showsConnectionsChannelsAndConsumers(Amqp amqp) throws Exception {
    Connection connection = amqp.newConnection();
    Channel channel = connection.createChannel();
    channel.basicQos(7);
    channel.confirmSelect();
    String queue = amqp.queue();
    String tag = channel.basicConsume(queue, false, "tag-" + queue, (t, m) -> {}, t -> {});
    JsonNode found =
        Awaitility.await("the consumer")
            .atMost(Patience.TIME)
            .until(
                () -> find(http.get("consumers/%2F").json(), "consumer_tag", tag),
                json -> json != null);
    assertThat(found.path("queue").path("name").asText()).isEqualTo(queue);
    assertThat(found.path("prefetch_count").asInt()).isEqualTo(7);
    assertThat(found.path("ack_required").asBoolean()).isTrue();
    String channelName = found.path("channel_details").path("name").asText();
    String path = "channels/" + encode(channelName);
    JsonNode shown = await(path, "consumer_count", 1);
    assertThat(shown.path("confirm").asBoolean()).isTrue();
    assertThat(shown.path("number").asInt()).isEqualTo(channel.getChannelNumber());
    assertThat(shown.path("user").asText()).isEqualTo("guest");
    String name = shown.path("connection_details").path("name").asText();
    JsonNode whole = await("connections/" + encode(name), "channels", 1);
    assertThat(whole.path("protocol").asText()).isEqualTo("AMQP 0-9-1");
    assertThat(whole.path("peer_port").asInt()).isPositive();
    assertThat(whole.path("auth_mechanism").asText()).isEqualTo("PLAIN");
    assertThat(whole.path("recv_oct").asLong()).isPositive();
    assertThat(whole.path("client_properties").path("product").asText()).isEqualTo("RabbitMQ");
    assertThat(texts(http.get("vhosts/%2F/connections").json(), "name")).contains(name);
    assertThat(texts(http.get("connections/username/guest").json(), "name")).contains(name);
    assertThat(http.delete("connections/" + encode(name)).status()).isEqualTo(204);
    Awaitility.await("the connection is closed")
        .atMost(Patience.TIME)
        .until(() -> !connection.isOpen());
    assertThat(connection.getCloseReason().getReason().toString())
        .contains("320", "CONNECTION_FORCED - Closed via management plugin");
  }

  @Test
  @MayflyOnly("RabbitMQ finds them by their own names only, and does not count by consumer")
  void channelsAndConsumersAreFoundByTheNameOfTheirClient(Amqp amqp) throws Exception {
    String client = "names its client";
    try (Connection connection = amqp.target().factory().newConnection(client)) {
      Channel channel = connection.createChannel();
      channel.basicQos(2);
      String queue = amqp.queue();
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", queue, null, new byte[0]);
      }
      channel.basicConsume(queue, false, "tag-" + queue, (t, m) -> {}, t -> {});
      String byClient = "?page=1&all_names=true&name=" + encode(client);
      for (String list : List.of("connections", "channels", "consumers")) {
        Awaitility.await(list + " by the name of the client")
            .atMost(Patience.TIME)
            .until(() -> http.get(list + byClient).json().path("items").size() == 1);
        assertThat(
                http.get(list + byClient.replace("all_names=true", "all_names=false"))
                    .json()
                    .path("items"))
            .isEmpty();
      }
      JsonNode shown = http.get("channels" + byClient).json().path("items").get(0);
      assertThat(shown.path("connection_details").path("user_provided_name").asText())
          .isEqualTo(client);
      JsonNode consumer =
          Awaitility.await("two messages with the consumer")
              .atMost(Patience.TIME)
              .until(
                  () -> http.get("consumers" + byClient).json().path("items").get(0),
                  json -> json.path("messages_unacknowledged").asInt() == 2);
      assertThat(consumer.path("channel_details").path("user_provided_name").asText())
          .isEqualTo(client);
      for (String name : List.of(queue, "tag-" + queue)) {
        assertThat(
                http.get("consumers?page=1&all_names=true&name=" + encode(name))
                    .json()
                    .path("items"))
            .hasSize(1);
      }
    }
  }

  @Test
  @MayflyOnly("RabbitMQ's API does not show the log")
  void theLogIsThereForAdministrators() throws Exception {
    String node = http.get("overview").json().path("node").asText();
    String path = "nodes/" + encode(node) + "/log";
    JsonNode last = http.get(path + "?lines=1").json();
    assertThat(last.path("lines")).hasSize(1);
    long count = last.path("count").asLong();
    http.put("vhosts/logged-by-a-test", "{}");
    http.delete("vhosts/logged-by-a-test");
    Awaitility.await("what is logged later")
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get(path + "?after=" + count)
                    .json()
                    .path("lines")
                    .toString()
                    .contains("PUT /api/vhosts/logged-by-a-test"));
    assertThat(http.get(path + "?lines=1001").status()).isEqualTo(400);
    assertThat(http.get("nodes/none/log").status()).isEqualTo(404);
  }

  @Test
  @MayflyOnly("RabbitMQ's API does not show process identifiers")
  void aConnectionIsFoundByItsPid(Amqp amqp) throws Exception {
    Connection connection = amqp.newConnection();
    JsonNode mine =
        find(
            http.get("connections").json(),
            "user_provided_name",
            connection.getClientProvidedName());
    String pid = mine.path("pid").asText();
    assertThat(http.get("connections/" + encode(pid)).json().path("name"))
        .isEqualTo(mine.path("name"));
    assertThat(http.delete("connections/" + encode(pid)).status()).isEqualTo(204);
    Awaitility.await("the connection is closed")
        .atMost(Patience.TIME)
        .until(() -> !connection.isOpen());
  }

  private static JsonNode find(JsonNode list, String field, String value) {
    for (JsonNode element : list) {
      if (element.path(field).asText().equals(value)) {
        return element;
      }
    }
    return null;
  }

  private static String encode(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  // Overview and health

  @Test
  void overviewCountsAllObjects(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    JsonNode overview = http.get("overview").json();
    assertThat(overview.path("object_totals").path("queues").asInt()).isPositive();
    assertThat(overview.path("object_totals").path("exchanges").asInt()).isGreaterThanOrEqualTo(7);
    assertThat(overview.path("rates_mode").asText()).isEqualTo("basic");
    assertThat(overview.path("churn_rates").has("queue_created_details")).isTrue();
    assertThat(texts(overview.path("exchange_types"), "name"))
        .contains("direct", "fanout", "headers", "topic");
    String node = overview.path("node").asText();
    assertThat(http.get("nodes/" + node).json().path("running").asBoolean()).isTrue();
    JsonNode nodes = http.get("nodes").json();
    assertThat(texts(nodes, "name")).containsExactly(node);
    assertThat(texts(nodes.get(0).path("applications"), "name")).contains("rabbit");
    assertThat(nodes.get(0).path("proc_total").asLong())
        .isGreaterThanOrEqualTo(nodes.get(0).path("proc_used").asLong())
        .isPositive();
    assertThat(nodes.get(0).path("being_drained").asText()).isEqualTo("false");
    assertThat(texts(http.get("vhosts").json(), "name")).contains("/");
  }

  @ParameterizedTest
  @CsvSource({
    "aliveness-test/%2F",
    "health/checks/alarms",
    "health/checks/local-alarms",
    "health/checks/certificate-expiration/1/weeks",
    "health/checks/protocol-listener/amqp",
    "health/checks/virtual-hosts",
    "health/checks/is-in-service",
    "health/checks/ready-to-serve-clients",
    "health/checks/node-is-mirror-sync-critical",
    "health/checks/node-is-quorum-critical"
  })
  void healthChecksSucceed(String check) throws Exception {
    Http.Reply reply = http.get(check);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.json().path("status").asText()).isEqualTo("ok");
  }

  @Test
  void healthChecksFindListeners(Target target) throws Exception {
    assertThat(http.get("health/checks/port-listener/" + target.port()).status()).isEqualTo(200);
    Http.Reply missing = http.get("health/checks/port-listener/1");
    assertThat(missing.status()).isEqualTo(503);
    assertThat(missing.json().path("missing").asInt()).isEqualTo(1);
    assertThat(http.get("health/checks/port-listener/x").reason()).isEqualTo("Invalid port");
    assertThat(http.get("health/checks/certificate-expiration/1/foo").reason())
        .isEqualTo("Time unit not recognised. Supported units: days, weeks, months, years.");
  }
}
