package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Removing some of the ready messages of a queue. */
@BlackBox
@MayflyOnly("RabbitMQ purges all of them only")
class ChosenPurgeIT {
  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  /** Messages 0 to 9, with their numbers as ids, and headers. */
  private static String filled(Amqp amqp, String type) throws Exception {
    Channel channel = amqp.newChannel();
    String queue = amqp.name();
    channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
    channel.confirmSelect();
    for (int number = 0; number < 10; number++) {
      BasicProperties properties =
          new BasicProperties.Builder()
              .deliveryMode(2)
              .messageId("m" + number)
              .headers(Map.of("tenant", number % 2 == 0 ? "even" : "odd", "third", number % 3))
              .build();
      channel.basicPublish("", queue, properties, new byte[] {(byte) ('0' + number)});
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    return queue;
  }

  private static String left(Amqp amqp, String queue) throws Exception {
    Channel channel = amqp.newChannel();
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet(queue, true);
        got != null;
        got = channel.basicGet(queue, true)) {
      bodies.add(new String(got.getBody(), StandardCharsets.US_ASCII));
    }
    return String.join("", bodies);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "classic | {'count':3} | 3 | 3456789",
        "classic | {'message_id':'m4'} | 1 | 012356789",
        "classic | {'sequence':7} | 1 | 012345689",
        "classic | {'headers':{'tenant':'odd'}} | 5 | 02468",
        "classic | {'headers':{'tenant':'even','third':0}} | 2 | 12345789",
        "classic | {'headers':{'tenant':'odd'},'count':2} | 2 | 02456789",
        "classic | {'older_than':0} | 10 | ''",
        "classic | {'older_than':3600000} | 0 | 0123456789",
        "classic | {'message_id':'none'} | 0 | 0123456789",
        "quorum | {'headers':{'tenant':'odd'}} | 5 | 02468",
        "quorum | {'sequence':0} | 1 | 123456789",
      })
  void thoseThatMatchAreRemovedAndTheOthersKeepTheirOrder(
      String type, String body, int count, String left, Amqp amqp) throws Exception {
    String queue = filled(amqp, type);
    String json = body.replace('\'', '"');
    String path = "queues/%2F/" + queue + "/purge";
    assertThat(http.post(path + "/dry-run", json).json().path("would_be_purged").asInt())
        .isEqualTo(count);
    amqp.awaitReady(queue, 10);
    assertThat(http.post(path, json).json().path("purged").asInt()).isEqualTo(count);
    assertThat(left(amqp, queue)).isEqualTo(left);
  }

  @Test
  void unacknowledgedMessagesStay(Amqp amqp) throws Exception {
    String queue = filled(amqp, "classic");
    Channel channel = amqp.newChannel();
    channel.basicGet(queue, false);
    assertThat(
            http.post("queues/%2F/" + queue + "/purge", "{\"count\":100}")
                .json()
                .path("purged")
                .asInt())
        .isEqualTo(9);
    channel.close();
    amqp.awaitReady(queue, 1);
    assertThat(left(amqp, queue)).isEqualTo("0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"older\":1}",
        "{\"count\":0}",
        "{\"count\":\"x\"}",
        "{\"older_than\":-1}",
        "{\"headers\":[]}",
        "{\"headers\":{}}",
        "{\"headers\":null}",
        "{\"message_id\":null}",
        "{\"headers\":{\"tenant\":null}}",
        "{\"headers\":{\"tenant\":[\"odd\"]}}",
        "{\"count\":1,\"headers\":{\"tenant\":{}}}"
      })
  void badChoicesAreRefusedAndNothingIsRemoved(String body, Amqp amqp) throws Exception {
    String queue = filled(amqp, "classic");
    Http.Reply refused = http.post("queues/%2F/" + queue + "/purge", body);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body()).containsAnyOf("expected", "should be");
    amqp.awaitReady(queue, 10);
  }
}
