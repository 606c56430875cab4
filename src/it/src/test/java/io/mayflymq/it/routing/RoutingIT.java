package io.mayflymq.it.routing;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.headers;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which exchange sends which message where. */
@BlackBox
class RoutingIT {

  @Test
  void theDefaultExchangeRoutesByQueueName(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    assertThat(amqp.drain(queue)).containsExactly("a");
  }

  @Test
  void directMatchesTheWholeKey(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String one = amqp.queue();
    String both = amqp.queue();
    amqp.bind(one, exchange, "red");
    amqp.bind(both, exchange, "red");
    amqp.bind(both, exchange, "blue");
    amqp.bind(both, exchange, "");
    publish(amqp, exchange, "red", "blue", "re", "redd", "RED", "");
    assertThat(amqp.drain(one)).containsExactly("red");
    assertThat(amqp.drain(both)).containsExactly("red", "blue", "");
  }

  @Test
  void fanoutIgnoresTheKey(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String one = amqp.queue();
    String two = amqp.queue();
    amqp.bind(one, exchange, "some");
    amqp.bind(two, exchange, "other");
    amqp.bind(two, exchange, "second binding, no second copy");
    publish(amqp, exchange, "a", "b");
    assertThat(amqp.drain(one)).containsExactly("a", "b");
    assertThat(amqp.drain(two)).containsExactly("a", "b");
  }

  @ParameterizedTest
  @CsvSource({
    "a.b.c,   a.b.c,   true",
    "a.b.c,   a.b.d,   false",
    "a.*.c,   a.b.c,   true",
    "a.*.c,   a..c,    true",
    "a.*.c,   a.c,     false",
    "a.*.c,   a.b.b.c, false",
    "*,       a,       true",
    "*,       a.b,     false",
    "*,       '',      false",
    "#,       a.b.c,   true",
    "#,       '',      true",
    "a.#,     a,       true",
    "a.#,     a.b.c,   true",
    "a.#,     ab,      false",
    "#.c,     c,       true",
    "#.c,     a.b.c,   true",
    "#.c,     a.b.d,   false",
    "a.#.c,   a.c,     true",
    "a.#.c,   a.x.y.c, true",
    "#.b.#,   a.b.c,   true",
    "#.b.#,   b,       true",
    "#.b.#,   a.c,     false",
    "*.#,     a,       true",
    "*.#,     '',      false",
    "#.*,     a.b,     true",
    "*.*,     a.b,     true",
    "#.#,     '',      true",
    "*.b.*,   .b.,     true",
    "..,      ..,      true",
    "..,      .,       false",
    "a*,      ab,      false",
    "a*,      a*,      true",
    "'',      '',      true",
    "'',      a,       false",
  })
  void topicMatchesByWords(String pattern, String key, boolean match, Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC);
    String queue = amqp.queue();
    amqp.bind(queue, exchange, pattern);
    publish(amqp, exchange, key);
    assertThat(amqp.ready(queue)).isEqualTo(match ? 1 : 0);
  }

  @Test
  @MayflyOnly("RabbitMQ has it since 4.3")
  void aTopicBindingHasAtMostTwoWildcardsForManyWords(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC);
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "a.#.b.#");
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - Topic binding key '#.a.#.b.#' uses 3 '#' wildcards, at most 2 are allowed",
        () -> channel.queueBind(queue, exchange, "#.a.#.b.#"));
    amqp.newChannel().queueUnbind(queue, exchange, "#.a.#.b.#");
  }

  @Test
  void overlappingTopicBindingsGiveOneCopy(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC);
    String queue = amqp.queue();
    for (String pattern : List.of("#", "a.*", "*.b", "a.b", "a.#")) {
      amqp.bind(queue, exchange, pattern);
    }
    publish(amqp, exchange, "a.b");
    assertThat(amqp.drain(queue)).containsExactly("a.b");
    for (String pattern : List.of("#", "a.*", "*.b", "a.#")) {
      amqp.channel().queueUnbind(queue, exchange, pattern);
    }
    publish(amqp, exchange, "a.b", "a.c");
    assertThat(amqp.drain(queue)).containsExactly("a.b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // The binding asks for colour=red, size=1; x-headers count in the -with-x modes only.
        "all        | red | 1  | true",
        "all        | red |    | false",
        "all        | red | 2  | false",
        "all        |     |    | false",
        "any        | red |    | true",
        "any        |     | 1  | true",
        "any        | blu | 2  | false",
        "any        |     |    | false",
        "           | red | 1  | true",
        "           | red |    | false",
      })
  void headersMatchAllOrAny(String mode, String colour, Integer size, boolean match, Amqp amqp)
      throws Exception {
    Map<String, Object> binding = new HashMap<>(Map.of("colour", "red", "size", 1));
    if (mode != null) {
      binding.put("x-match", mode);
    }
    Map<String, Object> message = new HashMap<>(Map.of("unrelated", true));
    if (colour != null) {
      message.put("colour", colour);
    }
    if (size != null) {
      message.put("size", size);
    }
    assertThat(headersRoute(amqp, binding, message)).isEqualTo(match);
  }

  @ParameterizedTest
  @CsvSource({
    "all, false, true",
    "all, true, true",
    "any, true, false",
    "all-with-x, false, false",
    "all-with-x, true, true",
    "any-with-x, true, true",
    "any-with-x, false, false",
  })
  void headersWithXAreComparedOnlyWithTheWithXModes(
      String mode, boolean sendX, boolean match, Amqp amqp) throws Exception {
    // "all" and "any" leave x-tenant out: "all" then asks for colour alone, "any" for nothing it
    // has.
    boolean all = mode.startsWith("all");
    Map<String, Object> binding = new HashMap<>();
    binding.put("x-match", mode);
    binding.put("x-tenant", "one");
    binding.put("colour", "red");
    Map<String, Object> message = new HashMap<>();
    message.put("colour", all ? "red" : "blue");
    if (sendX) {
      message.put("x-tenant", "one");
    }
    assertThat(headersRoute(amqp, binding, message)).isEqualTo(match);
  }

  @Test
  void aVoidHeaderInTheBindingMatchesByPresence(Amqp amqp) throws Exception {
    Map<String, Object> binding = new HashMap<>();
    binding.put("x-match", "all");
    binding.put("colour", null);
    assertThat(headersRoute(amqp, binding, Map.of("colour", "any at all"))).isTrue();
    assertThat(headersRoute(amqp, binding, Map.of("other", 1))).isFalse();
  }

  @Test
  void anEmptyHeadersBindingMatchesByItsMode(Amqp amqp) throws Exception {
    assertThat(headersRoute(amqp, Map.of("x-match", "all"), Map.of("a", 1))).isTrue();
    assertThat(headersRoute(amqp, Map.of(), Map.of())).isTrue();
    assertThat(headersRoute(amqp, Map.of("x-match", "any"), Map.of("a", 1))).isFalse();
  }

  @Test
  void anUnknownMatchModeIsRefused(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.HEADERS);
    String queue = amqp.queue();
    Channel text = amqp.newChannel();
    assertChannelError(
        text,
        406,
        "PRECONDITION_FAILED - Invalid x-match field value <<\"some\">>; expected all, any,"
            + " all-with-x, or any-with-x",
        () -> text.queueBind(queue, exchange, "", Map.of("x-match", "some")));
    Channel type = amqp.newChannel();
    assertChannelError(
        type,
        406,
        "PRECONDITION_FAILED - Invalid x-match field type signedint (value 1); expected longstr",
        () -> type.queueBind(queue, exchange, "", Map.of("x-match", 1)));
  }

  @Test
  void bindingsWithOtherArgumentsAreOtherBindings(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.HEADERS);
    String queue = amqp.queue();
    Map<String, Object> red = Map.of("colour", "red");
    Map<String, Object> blue = Map.of("colour", "blue");
    amqp.bind(queue, exchange, "", red);
    amqp.bind(queue, exchange, "", blue);
    amqp.channel().queueUnbind(queue, exchange, "", red);
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "", headers(red), bytes("red"));
    channel.basicPublish(exchange, "", headers(blue), bytes("blue"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(queue)).containsExactly("blue");
  }

  @Test
  void exchangeBindingsUseTheSameRoutingKey(Amqp amqp) throws Exception {
    String source = amqp.exchange(BuiltinExchangeType.TOPIC);
    String destination = amqp.exchange(BuiltinExchangeType.DIRECT);
    String queue = amqp.queue();
    amqp.channel().exchangeBind(destination, source, "a.#");
    amqp.bind(queue, destination, "a.b");
    amqp.bind(queue, destination, "b.b");
    publish(amqp, source, "a.b", "a.c", "b.b");
    assertThat(amqp.drain(queue)).containsExactly("a.b");
    amqp.channel().exchangeUnbind(destination, source, "a.#");
    publish(amqp, source, "a.b");
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void carbonCopiesAreRoutedToo(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String main = amqp.queue();
    String carbon = amqp.queue();
    String blind = amqp.queue();
    amqp.bind(main, exchange, "main");
    amqp.bind(main, exchange, "carbon");
    amqp.bind(carbon, exchange, "carbon");
    amqp.bind(blind, exchange, "blind");
    Map<String, Object> copies = Map.of("CC", List.of("carbon", "carbon"), "BCC", List.of("blind"));
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "main", headers(copies), bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(main)).as("one copy per queue").containsExactly("a");
    assertThat(amqp.drain(carbon)).containsExactly("a");
    assertThat(Headers.of(amqp.consume(blind).next().properties()))
        .doesNotContainKey("BCC")
        .containsEntry("CC", List.of("carbon", "carbon"));
  }

  @Test
  void carbonCopiesMustBeLists(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String queue = amqp.queue();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid message: {unacceptable_type_in_header,\"CC\",longstr}",
        () -> channel.basicPublish("", queue, headers(Map.of("CC", "text")), bytes("a")));
  }

  private static boolean headersRoute(
      Amqp amqp, Map<String, Object> binding, Map<String, Object> message) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.HEADERS);
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "ignored", binding);
    Channel channel = amqp.confirming();
    channel.basicPublish(exchange, "", headers(message), bytes("a"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    return amqp.ready(queue) == 1;
  }

  /** Publishes one message per key, with the key as its body, and waits for the confirms. */
  private static void publish(Amqp amqp, String exchange, String... keys) throws Exception {
    Channel channel = amqp.confirming();
    for (String key : keys) {
      channel.basicPublish(exchange, key, PLAIN, bytes(key));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }
}
