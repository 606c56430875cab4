package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.security.RightsPage.Right;
import io.mayflymq.it.security.RightsPage.Row;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What each method needs, as {@code docs/rights-amqp.md} has it: with exactly these permissions it
 * is carried out; without one of them it is refused, and changes nothing. The user has all
 * permissions in another virtual host, which must not matter.
 */
@BlackBox
class PermissionsIT extends AccessFixture {
  private static final String DEAD_LETTERS = "x-dead-letter-exchange";
  private static final String OWN_DEAD_LETTERS = "x-dead-letter-queue";
  private static final String NOTICES = "x-deadline-notify";
  private static final String ALTERNATE = "alternate-exchange";
  private static final String DELAYED = "x-delayed-message";
  private static final String REPLIES = "amq.rabbitmq.reply-to";

  private interface Call {
    void on(Channel channel) throws Exception;
  }

  /** By the method and the case, as in the table. */
  private static final Map<String, Call> CALLS = new LinkedHashMap<>();

  static {
    call("exchange.declare new", channel -> exchange(channel, "nx", null));
    call("exchange.declare there already", channel -> exchange(channel, "x", null));
    call("exchange.declare passive", channel -> channel.exchangeDeclarePassive("x"));
    call("exchange.declare new, with alternate-exchange d", c -> exchange(c, "nx", "d"));
    call(
        "exchange.declare new, with the default exchange as alternate-exchange",
        channel -> exchange(channel, "nx", ""));
    call(
        "exchange.declare there already, with the same alternate-exchange",
        channel -> exchange(channel, "ax", "d"));
    call(
        "exchange.declare there already, with alternate-exchange x, which it has not",
        channel -> exchange(channel, "ax", "x"));
    call("exchange.delete", channel -> channel.exchangeDelete("x"));
    call("exchange.bind", channel -> channel.exchangeBind("y", "x", ""));
    call("exchange.bind from a topic exchange", channel -> channel.exchangeBind("y", "t", "k"));
    call("exchange.bind to a topic exchange", channel -> channel.exchangeBind("t", "x", "k"));
    call("exchange.unbind", channel -> channel.exchangeUnbind("y", "x", ""));
    call("exchange.unbind from a topic exchange", c -> c.exchangeUnbind("y", "t", "k"));
    call("queue.declare new", channel -> queue(channel, "nq", Map.of()));
    call("queue.declare new, named by the broker", channel -> queue(channel, "", Map.of()));
    call("queue.declare there already", channel -> queue(channel, "q", Map.of()));
    call("queue.declare passive", channel -> channel.queueDeclarePassive("q"));
    call("queue.declare passive, of a direct reply-to", c -> c.queueDeclarePassive(REPLIES));
    call(
        "queue.declare new, with x-dead-letter-exchange d",
        channel -> queue(channel, "nq", Map.of(DEAD_LETTERS, "d")));
    call(
        "queue.declare new, with the default exchange as x-dead-letter-exchange",
        channel -> queue(channel, "nq", Map.of(DEAD_LETTERS, "")));
    call(
        "queue.declare new, with x-dead-letter-exchange t and x-dead-letter-routing-key",
        c -> queue(c, "nq", Map.of(DEAD_LETTERS, "t", "x-dead-letter-routing-key", "other")));
    call(
        "queue.declare new, with x-dead-letter-queue auto",
        channel -> queue(channel, "nq", Map.of(OWN_DEAD_LETTERS, "auto")));
    call(
        "queue.declare there already, with x-dead-letter-queue auto",
        channel -> queue(channel, "oq", Map.of(OWN_DEAD_LETTERS, "auto")));
    call(
        "queue.declare there already, with the same x-dead-letter-exchange",
        channel -> queue(channel, "dq", Map.of(DEAD_LETTERS, "d")));
    call(
        "queue.declare there already, with x-dead-letter-exchange x, which it has not",
        channel -> queue(channel, "dq", Map.of(DEAD_LETTERS, "x")));
    call(
        "queue.declare new, with x-deadline-notify d",
        channel -> queue(channel, "nq", Map.of(NOTICES, "d")));
    call(
        "queue.declare new, with x-deadline-notify reply-to",
        channel -> queue(channel, "nq", Map.of(NOTICES, "reply-to")));
    call(
        "queue.declare there already, with the same x-deadline-notify",
        channel -> queue(channel, "tq", Map.of(NOTICES, "d")));
    call(
        "queue.declare there already, with another x-deadline-notify x",
        channel -> queue(channel, "tq", Map.of(NOTICES, "x")));
    call("queue.bind", channel -> channel.queueBind("q", "x", ""));
    call("queue.bind from a topic exchange", channel -> channel.queueBind("q", "t", "k"));
    call(
        "queue.bind from a x-delayed-message exchange that routes as topic",
        channel -> channel.queueBind("q", "later", "k"));
    call("queue.unbind", channel -> channel.queueUnbind("q", "x", ""));
    call("queue.unbind from a topic exchange", channel -> channel.queueUnbind("q", "t", "k"));
    call("queue.purge", channel -> channel.queuePurge("q"));
    call("queue.delete", channel -> channel.queueDelete("q"));
    call("basic.publish", channel -> publish(channel, "x", "q", Map.of()));
    call("basic.publish to the default exchange", channel -> publish(channel, "", "q", Map.of()));
    call("basic.publish to a topic exchange", channel -> publish(channel, "t", "k", Map.of()));
    call(
        "basic.publish to a topic exchange, with CC and BCC",
        c -> publish(c, "t", "k", Map.of("CC", List.of("cc"), "BCC", List.of("bcc"))));
    call(
        "basic.publish to a x-delayed-message exchange that routes as topic, with CC",
        c -> publish(c, "later", "k", Map.of("CC", List.of("cc"), "x-delay", 1)));
    call(
        "basic.publish to the default exchange, with CC",
        channel -> publish(channel, "", "none", Map.of("CC", List.of("q"))));
    call(
        "basic.publish in a transaction",
        channel -> {
          channel.txSelect();
          publish(channel, "x", "q", Map.of());
          channel.txCommit();
        });
    call(
        "basic.publish to a direct reply-to",
        channel -> publish(channel, "", REPLIES + ".none", Map.of()));
    call("basic.consume", channel -> channel.basicConsume("q", (t, message) -> {}, t -> {}));
    call(
        "basic.consume of direct reply-to",
        channel -> channel.basicConsume(REPLIES, true, (t, message) -> {}, t -> {}));
    call("basic.get", channel -> channel.basicGet("q", true));
  }

  private static void call(String key, Call call) {
    CALLS.put(key, call);
  }

  private static void exchange(Channel channel, String name, String alternate) throws IOException {
    Map<String, Object> arguments = alternate == null ? Map.of() : Map.of(ALTERNATE, alternate);
    channel.exchangeDeclare(name, "fanout", false, false, arguments);
  }

  private static void queue(Channel channel, String name, Map<String, Object> arguments)
      throws IOException {
    channel.queueDeclare(name, true, false, false, arguments);
  }

  private static void publish(
      Channel channel, String exchange, String key, Map<String, Object> headers)
      throws IOException {
    BasicProperties properties = new BasicProperties.Builder().headers(headers).build();
    channel.basicPublish(exchange, key, properties, new byte[1]);
  }

  /** What methods need no permission for; {@code got} was delivered to the channel before. */
  private static final Map<String, FreeCall> FREE =
      Map.ofEntries(
          Map.entry("channel.open", (channel, got) -> channel.getConnection().createChannel()),
          Map.entry("channel.flow", (channel, got) -> rpc(channel, flow())),
          Map.entry("channel.close", (channel, got) -> reopen(channel)),
          Map.entry("access.request", (channel, got) -> rpc(channel, accessRequest())),
          Map.entry("basic.qos", (channel, got) -> channel.basicQos(7)),
          Map.entry("basic.cancel", (channel, got) -> rpc(channel, cancel())),
          Map.entry("basic.ack", (channel, got) -> channel.basicAck(got, false)),
          Map.entry("basic.nack", (channel, got) -> channel.basicNack(got, false, true)),
          Map.entry("basic.reject", (channel, got) -> channel.basicReject(got, true)),
          Map.entry("basic.recover", (channel, got) -> channel.basicRecover(true)),
          Map.entry("basic.recover-async", (channel, got) -> channel.asyncRpc(recoverAsync())),
          Map.entry("confirm.select", (channel, got) -> channel.confirmSelect()),
          Map.entry("tx.select", (channel, got) -> channel.txSelect()),
          Map.entry(
              "tx.commit",
              (channel, got) -> {
                channel.txSelect();
                channel.basicAck(got, false);
                channel.txCommit();
              }),
          Map.entry(
              "tx.rollback",
              (channel, got) -> {
                channel.txSelect();
                channel.txRollback();
              }));

  private interface FreeCall {
    void on(Channel channel, long got) throws Exception;
  }

  private static void rpc(Channel channel, com.rabbitmq.client.Method method) throws IOException {
    channel.rpc(method);
  }

  private static AMQP.Channel.Flow flow() {
    return new AMQP.Channel.Flow.Builder().active(true).build();
  }

  private static AMQP.Access.Request accessRequest() {
    return new AMQP.Access.Request.Builder().realm("/data").build();
  }

  private static AMQP.Basic.Cancel cancel() {
    return new AMQP.Basic.Cancel.Builder().consumerTag("consuming").build();
  }

  private static AMQP.Basic.RecoverAsync recoverAsync() {
    return new AMQP.Basic.RecoverAsync.Builder().requeue(true).build();
  }

  private static void reopen(Channel channel) throws Exception {
    Channel another = channel.getConnection().createChannel();
    another.close();
  }

  private String vhost;
  private String foreign;
  private String user;

  /** The objects of the table, which {@code guest} declares; and a user for them. */
  private void prepare(Amqp amqp) throws Exception {
    vhost = vhost(amqp);
    foreign = vhost(amqp);
    user = user(amqp, "");
    try (Connection guest = connect(vhost, "guest", "guest")) {
      Channel channel = guest.createChannel();
      for (String name : List.of("x", "y", "d")) {
        exchange(channel, name, null);
      }
      exchange(channel, "ax", "d");
      channel.exchangeDeclare("t", "topic");
      if (target.ours()) {
        channel.exchangeDeclare("later", DELAYED, false, false, Map.of("x-delayed-type", "topic"));
        queue(channel, "oq", Map.of(OWN_DEAD_LETTERS, "auto"));
        queue(channel, "tq", Map.of(NOTICES, "d"));
      }
      queue(channel, "q", Map.of());
      queue(channel, "dq", Map.of(DEAD_LETTERS, "d"));
      channel.queueBind("q", "y", "");
      channel.confirmSelect();
      publish(channel, "", "q", Map.of());
      channel.waitForConfirms();
    }
    assertThat(http.put("permissions/" + foreign + "/" + user, ALL).status()).isEqualTo(201);
  }

  /** Gives the user these permissions, and no other ones. */
  private void permit(List<Right> rights) throws Exception {
    String body =
        "{\"configure\":\"%s\",\"write\":\"%s\",\"read\":\"%s\"}"
            .formatted(
                pattern(rights, "configure"), pattern(rights, "write"), pattern(rights, "read"));
    assertThat(http.put("permissions/" + vhost + "/" + user, body).status()).isIn(201, 204);
  }

  private static String pattern(List<Right> rights, String permission) {
    return names(rights.stream().filter(right -> !right.isTopic()).toList(), permission);
  }

  private static String names(List<Right> rights, String permission) {
    String names =
        rights.stream()
            .filter(right -> right.permission().equals(permission))
            .map(right -> right.name().replaceAll("[.$]", "[$0]"))
            .collect(Collectors.joining("|"));
    // The broker chooses how a name goes on that it gives.
    return names.isEmpty() ? "^$" : "^(" + names + ")" + (names.endsWith("-") ? "" : "$");
  }

  /** Lets the user use these topics of each exchange that the row names topics of, and no other. */
  private void permitTopics(Row row, List<Right> rights) throws Exception {
    Set<String> exchanges =
        row.rights().stream()
            .filter(Right::isTopic)
            .map(Right::exchange)
            .collect(Collectors.toSet());
    for (String exchange : exchanges) {
      List<Right> topics = rights.stream().filter(Right::isTopic).toList();
      String body =
          "{\"exchange\":\"%s\",\"write\":\"%s\",\"read\":\"%s\"}"
              .formatted(exchange, names(topics, "write"), names(topics, "read"));
      assertThat(http.put("topic-permissions/" + vhost + "/" + user, body).status()).isIn(201, 204);
    }
  }

  /** Returns with what the broker closes the channel or the connection; null if it does neither. */
  private String outcome(Call call) throws Exception {
    try (Connection connection = connect(vhost, user, "p")) {
      Channel channel = connection.createChannel();
      try {
        call.on(channel);
        // What has no answer is over when this has one.
        channel.basicQos(1);
        return null;
      } catch (IOException | RuntimeException e) {
        await("the channel is closed").atMost(Patience.TIME).until(() -> !channel.isOpen());
      }
      if (channel.getCloseReason().getReason() instanceof AMQP.Channel.Close close) {
        return close.getReplyCode() + " " + close.getReplyText();
      }
      return channel.getCloseReason().getMessage();
    }
  }

  private Set<JsonNode> definitions(String of) throws Exception {
    JsonNode all = http.get("definitions/" + of).json();
    Set<JsonNode> definitions = new HashSet<>();
    for (String kind : List.of("queues", "exchanges", "bindings")) {
      all.path(kind).forEach(definitions::add);
    }
    return definitions;
  }

  private long messages() throws Exception {
    try (Connection guest = connect(vhost, "guest", "guest")) {
      return guest.createChannel().messageCount("q");
    }
  }

  @Test
  void theTableAndTheCallsAreAboutTheSame() {
    assertThat(RightsPage.rows())
        .extracting(Row::key)
        .containsExactlyInAnyOrderElementsOf(CALLS.keySet());
    assertThat(RightsPage.free()).containsExactlyInAnyOrderElementsOf(FREE.keySet());
  }

  static Stream<Row> rows() {
    return RightsPage.rows().stream();
  }

  /** Each row with each set of rights that is enough. */
  static Stream<Arguments> enough() {
    return rows()
        .flatMap(
            row ->
                row.alternatives()
                    ? row.rights().stream().map(one -> Arguments.of(row, List.of(one)))
                    : Stream.of(Arguments.of(row, row.rights())));
  }

  /** Each row with each right that the user needs and has not. */
  static Stream<Arguments> missing() {
    return rows()
        .flatMap(
            row ->
                row.alternatives()
                    ? Stream.of(Arguments.of(row, row.rights().get(0)))
                    : row.rights().stream().map(right -> Arguments.of(row, right)));
  }

  /** RabbitMQ checks no topics there, or answers 406 before it checks permissions. */
  private void requireOurs(Row row) {
    boolean isOurs =
        row.key().contains(DELAYED)
            || row.key().contains(OWN_DEAD_LETTERS)
            || row.key().contains(NOTICES)
            || row.key().contains("which it has not");
    Assumptions.assumeTrue(target.ours() || !isOurs, "RabbitMQ needs less");
  }

  @ParameterizedTest
  @MethodSource
  void enough(Row row, List<Right> rights, Amqp amqp) throws Exception {
    requireOurs(row);
    prepare(amqp);
    Set<JsonNode> before = definitions(foreign);
    permit(rights);
    permitTopics(row, rights);
    String outcome = outcome(CALLS.get(row.key()));
    if (row.key().contains("which it has not")) {
      assertThat(outcome).startsWith("406 PRECONDITION_FAILED - inequivalent arg");
    } else {
      assertThat(outcome).isNull();
    }
    assertThat(definitions(foreign)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource
  void missing(Row row, Right missing, Amqp amqp) throws Exception {
    requireOurs(row);
    prepare(amqp);
    Set<JsonNode> before = definitions(vhost);
    List<Right> others =
        row.alternatives()
            ? List.of()
            : row.rights().stream().filter(right -> !right.equals(missing)).toList();
    permit(others);
    permitTopics(row, others);
    assertThat(outcome(CALLS.get(row.key())))
        .startsWith("403 " + missing.refusal())
        .endsWith("in vhost '%s' refused for user '%s'".formatted(vhost, user));
    assertThat(definitions(vhost)).isEqualTo(before);
    assertThat(messages()).isEqualTo(1);
  }

  static Stream<String> free() {
    return RightsPage.free().stream();
  }

  @ParameterizedTest
  @MethodSource
  void free(String method, Amqp amqp) throws Exception {
    prepare(amqp);
    permit(List.of(new Right("read", "queue", "q", null)));
    try (Connection connection = connect(vhost, user, "p")) {
      Channel channel = connection.createChannel();
      GetResponse got = channel.basicGet("q", false);
      channel.basicConsume("q", false, "consuming", (t, message) -> {}, t -> {});
      permit(List.of());
      FREE.get(method).on(channel, got.getEnvelope().getDeliveryTag());
      channel.basicQos(1);
      assertThat(channel.isOpen()).isTrue();
    }
  }

  @Test
  void aVirtualHostIsOpenedWithAnyPermissionThere(Amqp amqp) throws Exception {
    prepare(amqp);
    String refused = "access to vhost '%s' refused for user '%s'".formatted(vhost, user);
    assertThat(refusal()).contains(refused);
    permit(List.of());
    connect(vhost, user, "p").close();
    assertThat(http.delete("permissions/" + vhost + "/" + user).status()).isEqualTo(204);
    assertThat(refusal()).contains(refused);
  }

  private String refusal() throws Exception {
    try (Connection connection = connect(vhost, user, "p")) {
      return "accepted: " + connection;
    } catch (IOException e) {
      return String.valueOf(e.getCause());
    }
  }
}
