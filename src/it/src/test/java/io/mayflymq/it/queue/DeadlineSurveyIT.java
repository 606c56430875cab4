package io.mayflymq.it.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counting the messages of a queue by deadline and by age. */
@BlackBox
@MayflyOnly("RabbitMQ does not show deadlines")
class DeadlineSurveyIT extends AccessFixture {
  private static final int HOUR = 3_600_000;

  private static void publish(Amqp amqp, String queue, int ttl) throws Exception {
    amqp.publish(
        queue, new BasicProperties.Builder().expiration(Integer.toString(ttl)).build(), "m");
  }

  private JsonNode deadlines(String queue, String query) throws Exception {
    return http.get("queues/%2F/" + queue + "/deadlines" + query).json();
  }

  private static int messages(JsonNode buckets, Long upTo) {
    for (JsonNode bucket : buckets) {
      JsonNode limit = bucket.path("up_to");
      if (upTo == null ? limit.isNull() : limit.asLong(-1) == upTo) {
        return bucket.path("messages").asInt();
      }
    }
    throw new AssertionError("no bucket up to " + upTo + " in " + buckets);
  }

  @Test
  void surveyCountsMessagesByTimeToDeadlineAndShowsWhatExpiresNext(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    publish(amqp, queue, 50 * HOUR);
    amqp.publish(queue, "never");
    publish(amqp, queue, 2 * HOUR);
    publish(amqp, queue, 5 * HOUR);
    amqp.awaitReady(queue, 4);
    JsonNode survey = deadlines(queue, "?limit=2");
    assertThat(survey.path("messages").asInt()).isEqualTo(4);
    assertThat(survey.path("without_deadline").asInt()).isEqualTo(1);
    assertThat(messages(survey.path("to_deadline"), 6L * HOUR)).isEqualTo(2);
    assertThat(messages(survey.path("to_deadline"), 7L * 24 * HOUR)).isEqualTo(1);
    assertThat(messages(survey.path("age"), null)).isZero();
    assertThat(survey.path("age").findValues("messages"))
        .extracting(JsonNode::asInt)
        .satisfies(
            counts -> assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(4));
    assertThat(survey.path("next")).hasSize(2);
    assertThat(survey.path("next").findValuesAsText("position")).containsExactly("2", "3");
    assertThat(survey.path("next").get(0).path("origin").asText()).isEqualTo("message");
    assertThat(survey.path("next").get(0).path("in").asLong()).isBetween(1L, 2L * HOUR + 1);
    assertThat(survey.path("truncated").asBoolean()).isFalse();
  }

  @Test
  void surveyNamesTheQueueTtlAsOriginOfDeadlines(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", HOUR));
    amqp.publish(queue, "m");
    amqp.awaitReady(queue, 1);
    JsonNode survey = deadlines(queue, "");
    assertThat(survey.path("next").get(0).path("origin").asText()).isEqualTo("queue");
    assertThat(survey.path("without_deadline").asInt()).isZero();
  }

  @Test
  void surveyOfAStreamOrWithAnInvalidLimitIsRefusedInWords(Amqp amqp) throws Exception {
    String stream = amqp.name();
    amqp.channel().queueDeclare(stream, true, false, false, Map.of("x-queue-type", "stream"));
    Http.Reply reply = http.get("queues/%2F/" + stream + "/deadlines");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.json().path("reason").asText()).contains("deadlines", stream);
    reply = http.get("queues/%2F/" + stream + "/deadlines?limit=x");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.json().path("reason").asText())
        .isEqualTo("limit should be a number from 0 to 1000, actually was x");
    amqp.channel().queueDelete(stream);
  }
}
