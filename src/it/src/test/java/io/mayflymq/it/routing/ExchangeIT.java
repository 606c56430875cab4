package io.mayflymq.it.routing;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests exchanges: declaration, redeclaration, bindings, deletion and protected names. */
@BlackBox
class ExchangeIT {

  @ParameterizedTest
  @CsvSource({
    "amq.direct, direct",
    "amq.fanout, fanout",
    "amq.topic, topic",
    "amq.headers, headers",
    "amq.match, headers",
  })
  void thePredeclaredExchangesExist(String name, String type, Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    channel.exchangeDeclarePassive(name);
    channel.exchangeDeclare(name, type, true, false, false, Map.of());
  }

  @Test
  void redeclaringTheSameExchangeIsANoOp(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    Map<String, Object> arguments = Map.of("alternate-exchange", "amq.fanout", "x-own", 1);
    channel.exchangeDeclare(name, "topic", true, true, false, arguments);
    channel.exchangeDeclare(name, "topic", true, true, false, arguments);
    channel.exchangeDeclarePassive(name);
  }

  @Test
  void passiveDeclarationChecksTheNameOnly(Amqp amqp) throws Exception {
    String name = amqp.exchange(BuiltinExchangeType.DIRECT);
    amqp.channel().exchangeDeclarePassive(name);
    String absent = amqp.name();
    assertChannelError(
        amqp.channel(),
        404,
        "NOT_FOUND - no exchange '" + absent + "' in vhost '/'",
        () -> amqp.channel().exchangeDeclarePassive(absent));
  }

  @Test
  void aRedeclarationErrorNamesTheDifferentProperty(Amqp amqp) throws Exception {
    String name = amqp.exchange(BuiltinExchangeType.DIRECT);
    Map<String, Object> none = Map.of();
    differs(amqp, name, "type", "'topic'", "'direct'", "topic", false, false, false, none);
    differs(amqp, name, "durable", "'true'", "'false'", "direct", true, false, false, none);
    differs(amqp, name, "auto_delete", "'true'", "'false'", "direct", false, true, false, none);
    differs(amqp, name, "internal", "'true'", "'false'", "direct", false, false, true, none);
    // The error names the first difference in this order.
    differs(amqp, name, "type", "'topic'", "'direct'", "topic", true, true, true, none);
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange '"
            + name
            + "' in vhost '/': received the value 'amq.fanout' of type 'longstr' but current is"
            + " none",
        () ->
            channel.exchangeDeclare(
                name, "direct", false, false, Map.of("alternate-exchange", "amq.fanout")));
  }

  private static void differs(
      Amqp amqp,
      String name,
      String what,
      String received,
      String current,
      String type,
      boolean durable,
      boolean autoDelete,
      boolean internal,
      Map<String, Object> arguments)
      throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        String.format(
            "PRECONDITION_FAILED - inequivalent arg '%s' for exchange '%s' in vhost '/':"
                + " received %s but current is %s",
            what, name, received, current),
        () -> channel.exchangeDeclare(name, type, durable, autoDelete, internal, arguments));
  }

  @Test
  void unknownArgumentsAreNotCompared(Amqp amqp) throws Exception {
    String name = amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("x-mine", 1));
    amqp.channel().exchangeDeclare(name, "direct", false, false, Map.of("x-mine", 2));
  }

  @Test
  @MayflyOnly("RabbitMQ 3.10 closes the connection, 3.13 the channel")
  void anUnknownTypeClosesTheChannel(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - unknown exchange type 'x-nonsense'",
        () -> channel.exchangeDeclare(amqp.name(), "x-nonsense"));
  }

  @Test
  void theAmqNamesAreReserved(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        403,
        "ACCESS_REFUSED - exchange name 'amq.mine' contains reserved prefix 'amq.*'",
        () -> channel.exchangeDeclare("amq.mine", "direct"));
  }

  @Test
  void theDefaultExchangeIsProtected(Amqp amqp) throws Exception {
    String text = "ACCESS_REFUSED - operation not permitted on the default exchange";
    String queue = amqp.queue();
    Channel declare = amqp.newChannel();
    assertChannelError(declare, 403, text, () -> declare.exchangeDeclare("", "direct"));
    Channel passive = amqp.newChannel();
    assertChannelError(passive, 403, text, () -> passive.exchangeDeclarePassive(""));
    Channel delete = amqp.newChannel();
    assertChannelError(delete, 403, text, () -> delete.exchangeDelete(""));
    Channel bind = amqp.newChannel();
    assertChannelError(bind, 403, text, () -> bind.queueBind(queue, "", "k"));
    Channel unbind = amqp.newChannel();
    assertChannelError(unbind, 403, text, () -> unbind.queueUnbind(queue, "", queue));
    Channel source = amqp.newChannel();
    assertChannelError(source, 403, text, () -> source.exchangeBind("amq.fanout", "", "k"));
    Channel destination = amqp.newChannel();
    assertChannelError(
        destination, 403, text, () -> destination.exchangeBind("", "amq.fanout", "k"));
  }

  @Test
  void thePredeclaredExchangesCannotBeDeleted(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        403,
        "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed",
        () -> channel.exchangeDelete("amq.direct"));
  }

  @Test
  void deletingIsIdempotentAndRemovesBindings(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue();
    amqp.bind(queue, name, "");
    channel.exchangeDelete(name);
    channel.exchangeDelete(name);
    channel.exchangeDeclare(name, "fanout");
    channel.basicPublish(name, "", PLAIN, bytes("nowhere"));
    channel.exchangeDelete(name);
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void ifUnusedRefusesWhileThereAreBindings(Amqp amqp) throws Exception {
    String name = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue();
    amqp.bind(queue, name, "");
    Channel refused = amqp.newChannel();
    assertChannelError(
        refused,
        406,
        "PRECONDITION_FAILED - exchange '" + name + "' in vhost '/' in use",
        () -> refused.exchangeDelete(name, true));
    amqp.channel().queueUnbind(queue, name, "");
    amqp.channel().exchangeDelete(name, true);
    Channel absent = amqp.newChannel();
    assertChannelError(
        absent,
        404,
        "NOT_FOUND - no exchange '" + name + "' in vhost '/'",
        () -> absent.exchangeDeclarePassive(name));
  }

  @Test
  void anAutoDeleteExchangeIsDeletedWithItsLastBinding(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    channel.exchangeDeclare(name, "direct", false, true, Map.of());
    channel.exchangeDeclarePassive(name);
    String queue = amqp.queue();
    channel.queueBind(queue, name, "a");
    channel.queueBind(queue, name, "b");
    channel.queueUnbind(queue, name, "a");
    channel.exchangeDeclarePassive(name);
    channel.queueDelete(queue);
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no exchange '" + name + "' in vhost '/'",
        () -> channel.exchangeDeclarePassive(name));
  }

  @Test
  void autoDeletionContinuesFromDestinationToSource(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String source = amqp.name();
    String destination = amqp.exchange(BuiltinExchangeType.FANOUT);
    channel.exchangeDeclare(source, "fanout", false, true, Map.of());
    channel.exchangeBind(destination, source, "");
    channel.exchangeDelete(destination);
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no exchange '" + source + "' in vhost '/'",
        () -> channel.exchangeDeclarePassive(source));
  }

  @Test
  void clientsCannotPublishToAnInternalExchange(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    String front = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue();
    channel.exchangeDeclare(name, "fanout", false, false, true, Map.of());
    channel.queueBind(queue, name, "");
    channel.exchangeBind(name, front, "");
    channel.basicPublish(front, "", PLAIN, bytes("through the front"));
    amqp.awaitReady(queue, 1);
    assertThat(amqp.get(queue)).isEqualTo("through the front");
    assertChannelError(
        channel,
        403,
        "ACCESS_REFUSED - cannot publish to internal exchange '" + name + "' in vhost '/'",
        () -> channel.basicPublish(name, "", PLAIN, bytes("refused")));
  }

  @Test
  void bindingsNeedBothEnds(Amqp amqp) throws Exception {
    String absent = amqp.name();
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String queue = amqp.queue();
    Channel noQueue = amqp.newChannel();
    assertChannelError(
        noQueue,
        404,
        "NOT_FOUND - no queue '" + absent + "' in vhost '/'",
        () -> noQueue.queueBind(absent, exchange, "k"));
    String noExchangeText = "NOT_FOUND - no exchange '" + absent + "' in vhost '/'";
    Channel noExchange = amqp.newChannel();
    assertChannelError(
        noExchange, 404, noExchangeText, () -> noExchange.queueBind(queue, absent, "k"));
    Channel noSource = amqp.newChannel();
    assertChannelError(
        noSource, 404, noExchangeText, () -> noSource.exchangeBind(exchange, absent, "k"));
    Channel noTarget = amqp.newChannel();
    assertChannelError(
        noTarget, 404, noExchangeText, () -> noTarget.exchangeBind(absent, exchange, "k"));
  }

  @Test
  void removingAMissingBindingIsAccepted(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.queueUnbind(queue, exchange, "never bound");
    channel.exchangeUnbind(exchange, "amq.fanout", "never bound");
    channel.queueUnbind(amqp.name(), exchange, "k");
    channel.queueUnbind(queue, amqp.name(), "k");
    channel.exchangeDeclarePassive(exchange);
  }

  @Test
  void noWaitDeclarationsTakeEffectInOrder(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    String second = amqp.name();
    String queue = amqp.name();
    channel.exchangeDeclareNoWait(name, "fanout", false, false, false, null);
    channel.exchangeDeclareNoWait(second, "fanout", false, false, false, null);
    channel.queueDeclareNoWait(queue, false, false, false, null);
    channel.exchangeBindNoWait(second, name, "", null);
    channel.queueBindNoWait(queue, second, "", null);
    channel.basicPublish(name, "", PLAIN, bytes("a"));
    channel.queueDeclarePassive(queue); // Others may look for it only then.
    amqp.awaitReady(queue, 1);
    channel.exchangeDeleteNoWait(name, false);
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no exchange '" + name + "' in vhost '/'",
        () -> channel.exchangeDeclarePassive(name));
  }

  @Test
  void publishingToAMissingExchangeClosesTheChannel(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String absent = amqp.name();
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no exchange '" + absent + "' in vhost '/'",
        () -> channel.basicPublish(absent, "k", PLAIN, bytes("a")));
  }

  @Test
  void aCycleOfExchangesDeliversOnce(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String first = amqp.exchange(BuiltinExchangeType.FANOUT);
    String second = amqp.exchange(BuiltinExchangeType.FANOUT);
    String third = amqp.exchange(BuiltinExchangeType.FANOUT);
    channel.exchangeBind(second, first, "");
    channel.exchangeBind(third, second, "");
    channel.exchangeBind(first, third, "");
    channel.exchangeBind(first, first, "");
    String queue = amqp.queue();
    for (String exchange : List.of(first, second, third)) {
      amqp.bind(queue, exchange, "");
    }
    Channel confirming = amqp.confirming();
    confirming.basicPublish(second, "", PLAIN, bytes("once"));
    assertThat(confirming.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(queue)).containsExactly("once");
  }

  @Test
  void anAlternateExchangeGetsUnroutableMessages(Amqp amqp) throws Exception {
    String last = amqp.exchange(BuiltinExchangeType.FANOUT);
    String middle = amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("alternate-exchange", last));
    String front = amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("alternate-exchange", middle));
    String own = amqp.queue();
    String caught = amqp.queue();
    String rest = amqp.queue();
    amqp.bind(own, front, "own");
    amqp.bind(caught, middle, "caught");
    amqp.bind(rest, last, "");
    Channel channel = amqp.confirming();
    channel.addReturnListener(
        message -> {
          throw new AssertionError("returned although the alternate exchange took it");
        });
    for (String key : List.of("own", "caught", "rest")) {
      channel.basicPublish(front, key, true, PLAIN, bytes(key));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(amqp.drain(own)).containsExactly("own");
    assertThat(amqp.drain(caught)).containsExactly("caught");
    assertThat(amqp.drain(rest)).containsExactly("rest");
  }

  @Test
  void aMissingAlternateAndCyclesOfAlternatesAreHarmless(Amqp amqp) throws Exception {
    String name = amqp.name();
    String other = amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("alternate-exchange", name));
    amqp.channel()
        .exchangeDeclare(name, "direct", false, false, Map.of("alternate-exchange", other));
    String lonely =
        amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("alternate-exchange", amqp.name()));
    Channel channel = amqp.confirming();
    channel.basicPublish(name, "nowhere", PLAIN, bytes("a"));
    channel.basicPublish(lonely, "nowhere", PLAIN, bytes("b"));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  @Test
  void anAlternateExchangeMustBeAString(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("alternate-exchange", 7);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid type 'signedint' for arg 'alternate-exchange' in exchange '"
            + name
            + "' in vhost '/'",
        () -> channel.exchangeDeclare(name, "direct", false, false, arguments));
  }

  @ParameterizedTest
  @ValueSource(strings = {"direct", "fanout", "topic", "headers"})
  void everyTypeCanBeDurable(String type, Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String name = amqp.name();
    channel.exchangeDeclare(name, type, true);
    channel.exchangeDeclarePassive(name);
  }
}
