package io.mayflymq.it.lease;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Time;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests leases of exchanges and bindings. */
@BlackBox
@MayflyOnly("RabbitMQ has no such thing")
class ExchangeLeaseIT extends PolicyFixture {
  private static final int LEASE = 4_000;
  private static final Map<String, Object> LEASED = Map.of("x-expires", LEASE);

  private boolean hasExchange(String exchange) throws Exception {
    return http.get("exchanges/%2F/" + exchange).status() == 200;
  }

  private int bindings(String exchange) throws Exception {
    return http.get("exchanges/%2F/" + exchange + "/bindings/source").json().size();
  }

  @Test
  void anExchangeIsKeptWhileMessagesAreRoutedThroughIt(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC, LEASED);
    long used = System.nanoTime();
    for (int i = 0; i < 12; i++) {
      Time.pass(LEASE / 8);
      used = System.nanoTime();
      amqp.channel().basicPublish(exchange, "k", PLAIN, bytes("m"));
    }
    await().until(() -> !hasExchange(exchange));
    assertThat(Time.millisBetween(used, System.nanoTime())).isGreaterThanOrEqualTo(LEASE - 1.0);
  }

  @Test
  void anUnusedBindingExpiresAndAUsedOneStays(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String queue = amqp.queue();
    amqp.bind(queue, exchange, "used", LEASED);
    amqp.bind(queue, exchange, "unused", LEASED);
    await()
        .until(
            () -> {
              amqp.channel().basicPublish(exchange, "used", PLAIN, bytes("m"));
              return bindings(exchange) == 1;
            });
    await().until(() -> bindings(exchange) == 0);
    assertThat(hasExchange(exchange)).isTrue();
  }

  @Test
  void policiesSetLeasesOfExchangesAndBindings(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    channel.exchangeDeclare(name, BuiltinExchangeType.FANOUT, false, true, null);
    amqp.bind(amqp.queue(), name, "");
    http.put("policies/%2F/" + name, policy(name, "{\"binding-expires\":" + LEASE + "}"));
    await().until(() -> !hasExchange(name));
  }

  @Test
  void leaseArgumentsOfExchangesAreChecked(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - invalid arg 'x-expires' for exchange '%s' in vhost '/': {value_zero,0}"
            .formatted(name),
        () -> channel.exchangeDeclare(name, "direct", false, true, Map.of("x-expires", 0)));
  }
}
