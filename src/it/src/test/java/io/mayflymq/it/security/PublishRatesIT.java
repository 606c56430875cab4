package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How fast users, and all in a virtual host, publish. */
@BlackBox
@MayflyOnly("RabbitMQ has no such limits")
class PublishRatesIT extends RatesFixture {
  private static final long LONG = Patience.SECONDS * 1000L;
  private static final int RATE = 50;

  /** Publishes on two connections, and returns how long it takes until all is confirmed, in ms. */
  private long publish(Connection one, Connection two, int each) throws Exception {
    List<Channel> channels = new ArrayList<>();
    for (Connection connection : List.of(one, two)) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.confirmSelect();
      channels.add(channel);
    }
    long begin = System.nanoTime();
    for (int number = 0; number < each; number++) {
      for (Channel channel : channels) {
        channel.basicPublish("", "q", null, Amqp.bytes("m" + number));
      }
    }
    for (Channel channel : channels) {
      assertThat(channel.waitForConfirms(LONG)).isTrue();
    }
    long took = (System.nanoTime() - begin) / 1_000_000;
    assertThat(channels.get(0).queuePurge("q").getMessageCount()).isEqualTo(2 * each);
    return took;
  }

  @Test
  void connectionsOfAUserShareItsRate(Amqp amqp) throws Exception {
    String rate = "user-limits/" + user + "/publish-rate";
    assertThat(set(rate, RATE)).isEqualTo(204);
    assertThat(set("user-limits/" + user + "/publish-burst", 1)).isEqualTo(204);
    assertThat(http.get("user-limits/" + user).json().get(0).path("value"))
        .hasToString("{\"publish-rate\":50,\"publish-burst\":1}");
    Connection one = connect(amqp, user, "p");
    Connection two = connect(amqp, user, "p");
    assertThat(publish(one, two, 40)).as("80 messages").isGreaterThan(80 * 1000 / RATE - 100);
    Connection other = connect(amqp, "guest", "guest");
    assertThat(publish(other, connect(amqp, "guest", "guest"), 500))
        .as("another user")
        .isLessThan(1_000 * 1000 / RATE);
    assertThat(http.delete("user-limits/" + user + "/all").status()).isEqualTo(204);
    assertThat(publish(one, two, 500)).as("cleared").isLessThan(1_000 * 1000 / RATE);
  }

  /** Returns the state of the user's connection. */
  private String state() throws Exception {
    for (JsonNode each : http.get("vhosts/" + vhost + "/connections").json()) {
      if (each.path("user").asText().equals(user)) {
        return each.path("state").asText();
      }
    }
    return "gone";
  }

  @Test
  void usersOfAVirtualHostShareItsRate(Amqp amqp) throws Exception {
    assertThat(set("vhost-limits/" + vhost + "/publish-rate", RATE)).isEqualTo(204);
    Connection one = connect(amqp, user, "p");
    Connection two = connect(amqp, "guest", "guest");
    assertThat(publish(one, two, 75)).as("the rate twice behind a burst").isGreaterThan(1_800);
    assertThat(http.delete("vhost-limits/" + vhost + "/publish-rate").status()).isEqualTo(204);
    assertThat(publish(one, two, 500)).as("cleared").isLessThan(1_000 * 1000 / RATE);
  }

  @Test
  void whatAConnectionHasSentBeforeItsEndIsNotLost(Amqp amqp) throws Exception {
    set("user-limits/" + user + "/publish-rate", 1);
    Connection connection = connect(amqp, user, "p");
    Channel channel = connection.createChannel();
    channel.queueDeclare("q", true, false, false, null);
    for (int number = 0; number < 100; number++) {
      channel.basicPublish("", "q", null, Amqp.bytes("m" + number));
    }
    connection.abort(1);
    Channel other = connect(amqp, "guest", "guest").createChannel();
    await()
        .atMost(Patience.TIME)
        .pollInSameThread()
        .until(() -> other.queueDeclarePassive("q").getMessageCount() == 100);
  }

  @Test
  void connectionThatWaitsGoesOnWhenItsRateIsCleared(Amqp amqp) throws Exception {
    set("user-limits/" + user + "/publish-rate", 1);
    Channel channel = connect(amqp, user, "p").createChannel();
    channel.queueDeclare("q", true, false, false, null);
    channel.txSelect();
    int count = 10 * Patience.SECONDS;
    for (int number = 0; number < count; number++) {
      channel.basicPublish("", "q", null, Amqp.bytes("m" + number));
    }
    channel.txCommit();
    await().atMost(Patience.TIME).until(() -> state().equals("flow"));
    assertThat(http.delete("user-limits/" + user + "/all").status()).isEqualTo(204);
    assertThat(channel.queuePurge("q").getMessageCount()).isEqualTo(count);
    await().atMost(Patience.TIME).until(() -> state().equals("running"));
  }

  @Test
  void rateOfZeroIsRefused() throws Exception {
    for (String path :
        List.of(
            "user-limits/" + user + "/publish-rate", "vhost-limits/" + vhost + "/publish-burst")) {
      Http.Reply refused = http.put(path, "{\"value\":0}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.raw().body())
          .contains("should be 1 or more, or negative for no limit, actually was 0");
    }
    assertThat(set("user-limits/" + user + "/publish-rate", -1)).isEqualTo(204);
  }
}
