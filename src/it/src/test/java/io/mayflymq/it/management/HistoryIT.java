package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Samples of the past in the management API. */
@BlackBox
@MayflyOnly("the tests' RabbitMQ samples too rarely")
@ResourceLock(value = HistoryIT.SAMPLES, mode = ResourceAccessMode.READ)
class HistoryIT {
  /** The samples of the broker that tests share. */
  static final String SAMPLES = "samples of the past";

  private static final String AGES =
      "?msg_rates_age=60&msg_rates_incr=5&lengths_age=60&lengths_incr=5"
          + "&data_rates_age=60&data_rates_incr=5";

  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  private JsonNode get(String path) throws Exception {
    return http.get(path + AGES).json();
  }

  @Test
  void queueShowsItsPastLengthsAndCounts(Amqp amqp) throws Exception {
    long beforeQueue = System.currentTimeMillis() - 1_000;
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    String path = "queues/%2F/" + queue;
    Awaitility.await("two samples after the publishes")
        .atMost(Patience.TIME)
        .until(
            () ->
                get(path)
                        .path("message_stats")
                        .path("publish_details")
                        .path("samples")
                        .path(1)
                        .path("sample")
                        .asInt()
                    == 2);
    JsonNode object = get(path);
    JsonNode lengths = object.path("messages_details");
    assertThat(lengths.path("samples")).hasSizeBetween(2, 13);
    assertThat(lengths.path("samples").get(0).path("sample").asInt()).isEqualTo(2);
    assertThat(lengths.path("samples"))
        .as("nothing is said of the time before the queue")
        .allMatch(each -> each.path("timestamp").asLong() > beforeQueue);
    assertThat(lengths.path("avg_rate").isNumber()).isTrue();
    long newest = lengths.path("samples").get(0).path("timestamp").asLong();
    assertThat(newest % 5_000).isZero();
    assertThat(lengths.path("samples").get(1).path("timestamp").asLong()).isEqualTo(newest - 5_000);
    assertThat(get("overview").path("message_stats").path("publish_details").path("samples"))
        .hasSizeBetween(2, 13);
    assertThat(get("overview").path("queue_totals").path("messages_details").path("samples"))
        .hasSizeBetween(2, 13);
    assertThat(get("vhosts/%2F").path("recv_oct_details").path("samples")).hasSizeBetween(2, 13);
    assertThat(get("exchanges/%2F/amq.default").path("message_stats").path("publish_in_details"))
        .as("samples of an exchange")
        .hasSize(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lengths_age=60&lengths_incr=0 | age 60, incr 0",
        "msg_rates_age=60&msg_rates_incr=-1 | age 60, incr -1",
        "lengths_age=600000&lengths_incr=1 | age 600000, incr 1",
      })
  void invalidAgesAreRefusedInWords(String query, String values) throws Exception {
    for (String path : List.of("overview?", "queues?", "queues/%2F?", "exchanges?")) {
      Http.Reply reply = http.get(path + query);
      assertThat(reply.status()).as(path).isEqualTo(400);
      assertThat(reply.error()).isEqualTo("invalid_range_parameters");
      assertThat(reply.reason()).startsWith("Invalid range parameters: " + values);
    }
  }

  /** As in RabbitMQ 4.3.6. */
  @ParameterizedTest
  @ValueSource(strings = {"msg_rates_age=60", "lengths_age=x&lengths_incr=5"})
  void anAgeWithoutAStepIsIgnored(String query) throws Exception {
    Http.Reply reply = http.get("overview?" + query);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.raw().body()).doesNotContain("samples\":");
  }

  @Test
  void listsHaveSamplesToo(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    String ages = "&msg_rates_age=60&msg_rates_incr=5&lengths_age=60&lengths_incr=5";
    Awaitility.await("a sample of the queue")
        .atMost(Patience.TIME)
        .until(
            () -> {
              JsonNode listed = get("queues?page=1&name=" + queue + ages).path("items").path(0);
              return !listed.path("messages_details").path("samples").isEmpty()
                  && !listed
                      .path("message_stats")
                      .path("publish_details")
                      .path("samples")
                      .isEmpty();
            });
    JsonNode exchange = get("exchanges?page=1&name=&sort=name" + ages).path("items").get(0);
    assertThat(exchange.path("message_stats").path("publish_in_details").path("samples"))
        .hasSizeBetween(1, 13);
  }
}
