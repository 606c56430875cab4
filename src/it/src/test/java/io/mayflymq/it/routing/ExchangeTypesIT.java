package io.mayflymq.it.routing;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.headers;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the exchange types of RabbitMQ's plugins. */
@BlackBox
class ExchangeTypesIT {
  private static final int MESSAGES = 400;

  private static String exchange(Amqp amqp, String type, Map<String, Object> arguments)
      throws Exception {
    String name = amqp.name();
    amqp.channel().exchangeDeclare(name, type, false, false, arguments);
    return name;
  }

  private static List<String> queues(Amqp amqp, String exchange, String... keys) throws Exception {
    List<String> queues = new ArrayList<>();
    for (String key : keys) {
      queues.add(amqp.queue());
      amqp.bind(queues.get(queues.size() - 1), exchange, key);
    }
    return queues;
  }

  private static List<List<String>> drain(Amqp amqp, List<String> queues) throws Exception {
    List<List<String>> found = new ArrayList<>();
    for (String queue : queues) {
      found.add(amqp.drain(queue));
    }
    return found;
  }

  /** Publishes messages with the keys k0, k1 and so on, and returns the messages of each queue. */
  private static List<List<String>> shareOut(Amqp amqp, String exchange, List<String> queues)
      throws Exception {
    Channel channel = amqp.confirming();
    for (int i = 0; i < MESSAGES; i++) {
      channel.basicPublish(exchange, "k" + i, PLAIN, bytes("k" + i));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    List<List<String>> found = drain(amqp, queues);
    assertThat(found.stream().mapToInt(List::size).sum()).isEqualTo(MESSAGES);
    return found;
  }

  /** As the link of RabbitMQ's federation declares it at its upstream. */
  @Test
  @MayflyOnly("needs the federation plugin")
  void federationLinkGetsTheMessagesOfItsExchange(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String federated = exchange(amqp, "topic", Map.of());
    String internal = "federation: " + federated + " -> rabbit@downstream B";
    Map<String, Object> purpose = Map.of("x-internal-purpose", "federation");
    String queue = "federation: " + federated + " -> rabbit@downstream";
    channel.queueDeclare(queue, true, false, false, purpose);
    try {
      channel.exchangeDeclare(
          internal,
          "x-federation-upstream",
          true,
          true,
          true,
          Map.of(
              "x-max-hops", 1,
              "x-downstream-name", "rabbit@downstream",
              "x-downstream-vhost", "/",
              "x-internal-purpose", "federation"));
      channel.queueBind(queue, internal, "");
      channel.exchangeBind(internal, federated, "a.#");
      channel.basicPublish(federated, "a.b", PLAIN, bytes("wanted"));
      channel.basicPublish(federated, "c", PLAIN, bytes("not wanted"));
      assertThat(amqp.drain(queue)).containsExactly("wanted");
      assertThat(channel.exchangeDeclarePassive(internal)).isNotNull();
    } finally {
      channel.queueDelete(queue);
    }
  }

  /** As RabbitMQ's JMS client binds the queues of consumers with selectors. */
  @Test
  void selectorsOfJmsDecideByHeaders(Amqp amqp) throws Exception {
    Channel channel = amqp.confirming();
    String topics = exchange(amqp, "topic", Map.of());
    String selecting = exchange(amqp, "x-jms-topic", Map.of("rjms_version", "2.0"));
    channel.exchangeBind(selecting, topics, "prices");
    List<String> queues = queues(amqp, topics, "#", "none", "none");
    String red = "{'=',{'ident',<<\"color\">>},<<\"red\">>}.";
    String large = "{'and',{'>',{'ident',<<\"size\">>},5},{'not_null',{'ident',<<\"color\">>}}}.";
    channel.queueBind(queues.get(1), selecting, "prices", Map.of("rjms_erlang_selector", red));
    channel.queueBind(queues.get(2), selecting, "", Map.of("rjms_erlang_selector", large));
    channel.basicPublish(topics, "prices", headers(Map.of("color", "red")), bytes("a"));
    channel.basicPublish(topics, "prices", headers(Map.of("color", "red", "size", 6)), bytes("b"));
    channel.basicPublish(
        topics, "prices", headers(Map.of("color", "blue", "size", 7L)), bytes("c"));
    channel.basicPublish(topics, "others", headers(Map.of("color", "red")), bytes("d"));
    channel.basicPublish(topics, "prices", PLAIN, bytes("e"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(drain(amqp, queues))
        .containsExactly(List.of("a", "b", "c", "d", "e"), List.of("a", "b"), List.of("b", "c"));
    channel.queueUnbind(queues.get(1), selecting, "prices", Map.of("rjms_erlang_selector", red));
    channel.basicPublish(topics, "prices", headers(Map.of("color", "red")), bytes("f"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(queues.get(1))).isEmpty();
  }

  @Test
  @MayflyOnly("gives other reasons, and takes a binding without a selector for an internal error")
  void aBindingForJmsNeedsASelector(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-jms-topic", Map.of());
    String queue = amqp.queue();
    for (String selector : new String[] {null, "{'=',1"}) {
      Map<String, Object> arguments =
          selector == null ? Map.of() : Map.of("rjms_erlang_selector", selector);
      String reason =
          selector == null
              ? "expected a text in the argument 'rjms_erlang_selector'"
              : "expected } at character 6";
      Channel channel = amqp.newChannel();
      assertChannelError(
          channel,
          406,
          "PRECONDITION_FAILED - invalid JMS selector: " + reason,
          () -> channel.queueBind(queue, exchange, "", arguments));
    }
  }

  @Test
  void aConsistentHashDistributesByWeightAndIsStable(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-consistent-hash", Map.of());
    List<String> queues = queues(amqp, exchange, "1", "3");
    List<List<String>> found = shareOut(amqp, exchange, queues);
    assertThat(found.get(0)).hasSizeBetween(MESSAGES / 8, MESSAGES * 3 / 8);
    assertThat(shareOut(amqp, exchange, queues)).isEqualTo(found);
  }

  @Test
  void aConsistentHashMovesAsFewMessagesAsPossible(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-consistent-hash", Map.of());
    List<String> queues = queues(amqp, exchange, "10", "10", "10");
    List<List<String>> before = shareOut(amqp, exchange, queues);
    amqp.channel().queueUnbind(queues.get(2), exchange, "10");
    List<List<String>> after = shareOut(amqp, exchange, queues);
    assertThat(after.get(0)).containsAll(before.get(0));
    assertThat(after.get(1)).containsAll(before.get(1));
  }

  @Test
  void aConsistentHashCanUseAHeaderOrAProperty(Amqp amqp) throws Exception {
    String byHeader = exchange(amqp, "x-consistent-hash", Map.of("hash-header", "h"));
    String byId = exchange(amqp, "x-consistent-hash", Map.of("hash-property", "message_id"));
    for (String exchange : List.of(byHeader, byId)) {
      List<String> queues = queues(amqp, exchange, "5", "5");
      Channel channel = amqp.confirming();
      for (int i = 0; i < 200; i++) {
        String value = "v" + i % 20;
        BasicProperties properties =
            new BasicProperties.Builder().messageId(value).headers(Map.of("h", value)).build();
        channel.basicPublish(exchange, "any" + i, properties, bytes(value));
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      List<List<String>> found = drain(amqp, queues);
      assertThat(found.get(0)).isNotEmpty().doesNotContainAnyElementsOf(found.get(1));
      assertThat(found.get(0).size() + found.get(1).size()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "x, 'The binding key must be an integer: <<\"x\">>'",
    "0, The binding key must be greater than 0",
    "10001, The binding key must not exceed 10000"
  })
  void aWeightIsAPositiveInteger(String key, String text, Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-consistent-hash", Map.of());
    String queue = amqp.queue();
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - " + text,
        () -> channel.queueBind(queue, exchange, key));
  }

  @Test
  void argumentsOfAConsistentHashAreChecked(Amqp amqp) throws Exception {
    Channel both = amqp.newChannel();
    assertChannelError(
        both,
        406,
        "PRECONDITION_FAILED - hash-header and hash-property are mutually exclusive",
        () ->
            both.exchangeDeclare(
                amqp.name(),
                "x-consistent-hash",
                false,
                false,
                Map.of("hash-header", "h", "hash-property", "message_id")));
    Channel unknown = amqp.newChannel();
    assertChannelError(
        unknown,
        406,
        "PRECONDITION_FAILED - Unsupported property: app_id",
        () ->
            unknown.exchangeDeclare(
                amqp.name(), "x-consistent-hash", false, false, Map.of("hash-property", "app_id")));
  }

  @Test
  void aModulusHashIsStable(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-modulus-hash", Map.of());
    List<String> queues = queues(amqp, exchange, "", "", "");
    List<List<String>> found = shareOut(amqp, exchange, queues);
    assertThat(found).allSatisfy(bodies -> assertThat(bodies).hasSizeGreaterThan(MESSAGES / 6));
    assertThat(shareOut(amqp, exchange, queues)).isEqualTo(found);
  }

  @Test
  void aRandomExchangeUsesAllBindings(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-random", Map.of());
    List<List<String>> found = shareOut(amqp, exchange, queues(amqp, exchange, "", "a", "b"));
    assertThat(found).allSatisfy(bodies -> assertThat(bodies).hasSizeGreaterThan(MESSAGES / 6));
  }

  @Test
  @MayflyOnly("it came with RabbitMQ 4.0")
  void aLocalRandomExchangeUsesAllBindingsAndRefusesKeys(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-local-random", Map.of());
    List<String> queues = queues(amqp, exchange, "", "");
    assertThat(shareOut(amqp, exchange, queues))
        .allSatisfy(bodies -> assertThat(bodies).hasSizeGreaterThan(MESSAGES / 4));
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - Non empty binding 'k' key not permitted",
        () -> channel.queueBind(queues.get(0), exchange, "k"));
  }

  @Test
  void aNewBindingToARecentHistoryExchangeGetsTheLastMessages(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-recent-history", Map.of("x-recent-history-length", 3));
    Channel channel = amqp.confirming();
    for (int i = 0; i < 5; i++) {
      channel.basicPublish(exchange, "any", PLAIN, bytes("m" + i));
    }
    channel.basicPublish(
        exchange, "any", headers(Map.of("x-recent-history-no-store", true)), bytes("not kept"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    String queue = queues(amqp, exchange, "").get(0);
    amqp.awaitReady(queue, 3);
    channel.basicPublish(exchange, "other", PLAIN, bytes("m5"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(queue)).containsExactly("m2", "m3", "m4", "m5");
  }

  @Test
  void aRecentHistoryKeepsTwentyAndReplaysThroughExchanges(Amqp amqp) throws Exception {
    String exchange = exchange(amqp, "x-recent-history", Map.of());
    Channel channel = amqp.confirming();
    for (int i = 0; i < 30; i++) {
      channel.basicPublish(exchange, "k", PLAIN, bytes("m" + i));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    String fanout = exchange(amqp, "fanout", Map.of());
    String queue = queues(amqp, fanout, "").get(0);
    amqp.channel().exchangeBind(fanout, exchange, "");
    amqp.awaitReady(queue, 20);
    assertThat(amqp.drain(queue))
        .containsExactlyElementsOf(IntStream.range(10, 30).mapToObj(i -> "m" + i).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void aRecentHistoryHasAPositiveLength(int length, Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - Invalid argument "
            + length
            + ", 'x-recent-history-length' must be a positive integer",
        () ->
            channel.exchangeDeclare(
                amqp.name(),
                "x-recent-history",
                false,
                false,
                Map.of("x-recent-history-length", length)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-consistent-hash", "x-random", "x-modulus-hash"})
  void ccKeysDoNotDuplicateMessagesOfHashAndRandomExchanges(String type, Amqp amqp)
      throws Exception {
    String exchange = exchange(amqp, type, Map.of());
    List<String> queues = queues(amqp, exchange, "1", "1", "1", "1");
    Channel channel = amqp.confirming();
    channel.basicPublish(
        exchange, "k", headers(Map.of("CC", List.of("a", "b", "c", "d", "e"))), bytes("one"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    Set<String> got = new HashSet<>();
    for (String queue : queues) {
      if (!amqp.drain(queue).isEmpty()) {
        got.add(queue);
      }
    }
    assertThat(got).hasSize(1);
  }
}
