package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TtlMode;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is remembered of requests, and what replies get. */
class ReplyDeadlinesTest {
  private static final long NOW = 1_000_000;
  private static final String HEADER = "x-deadline";

  private final AtomicLong kept = new AtomicLong();
  private final ReplyDeadlines deadlines = new ReplyDeadlines(kept::addAndGet);

  private static ExpirySettings settings(String header) {
    return new ExpirySettings(
        QueueSettings.NONE, true, TtlMode.MIN, 0, ExpiryMode.EXACT, header, null, true, null);
  }

  private static Message message(
      String exchange, String key, String replyTo, String correlationId, FieldTable headers) {
    return Message.ofBroker(
        exchange,
        ShortString.of(key),
        BasicProperties.builder()
            .replyTo(replyTo)
            .correlationId(correlationId)
            .headers(headers.isEmpty() ? null : headers)
            .build(),
        new byte[3]);
  }

  private static FieldTable deadline(long millis) {
    return FieldTable.builder().put(HEADER, millis).build();
  }

  private void request(String replyTo, String correlationId, long deadline, long now) {
    deadlines.delivered(
        message("", "requests", replyTo, correlationId, deadline(deadline)), settings(HEADER), now);
  }

  private static Message reply(String key, String correlationId) {
    return message("", key, null, correlationId, FieldTable.EMPTY);
  }

  @Test
  void replyGetsTheDeadlineOfItsRequest() {
    request("answers", "1", NOW + 10, NOW);
    request("answers", "2", NOW + 20, NOW);
    Message inherited = deadlines.inherited(reply("answers", "2"));
    assertThat(inherited.headers()).isEqualTo(deadline(NOW + 20));
    assertThat(inherited.bodyLength()).isEqualTo(3);
    assertThat(deadlines.deadlineOf(inherited)).isEqualTo(NOW + 20);
  }

  @Test
  void otherMessagesStayAsTheyAre() {
    request("answers", "1", NOW + 10, NOW);
    for (Message other :
        new Message[] {
          reply("answers", "3"),
          reply("answers", null),
          reply("others", "1"),
          message("exchange", "answers", null, "1", FieldTable.EMPTY)
        }) {
      assertThat(deadlines.inherited(other)).isSameAs(other);
      assertThat(deadlines.deadlineOf(other)).isEqualTo(Deadlines.NEVER);
    }
  }

  @Test
  void headerOfTheReplyItselfCounts() {
    request("answers", "1", NOW + 10, NOW);
    Message own = message("", "answers", null, "1", deadline(NOW + 50));
    assertThat(deadlines.inherited(own)).isSameAs(own);
    assertThat(deadlines.deadlineOf(own)).isEqualTo(NOW + 50);
    FieldTable none = FieldTable.builder().put(HEADER, "none").build();
    assertThat(deadlines.deadlineOf(message("", "answers", null, "1", none)))
        .isEqualTo(Deadlines.NEVER);
  }

  @Test
  void requestsThatCannotBeAnsweredAreNotRemembered() {
    request(null, "1", NOW + 10, NOW);
    request("answers", null, NOW + 10, NOW);
    deadlines.delivered(
        message("", "requests", "answers", "1", FieldTable.EMPTY), settings(HEADER), NOW);
    deadlines.delivered(
        message("", "requests", "answers", "1", FieldTable.builder().put(HEADER, "x").build()),
        settings(HEADER),
        NOW);
    deadlines.delivered(
        message("", "requests", "answers", "1", deadline(NOW)), settings(null), NOW);
    assertThat(deadlines.isEmpty()).isTrue();
    assertThat(kept).hasValue(0);
  }

  @Test
  void eachQueueHasItsHeader() {
    request("answers", "1", NOW + 10, NOW);
    deadlines.delivered(
        message(
            "",
            "requests",
            "answers",
            "2",
            FieldTable.builder().put("end", FieldValue.of("2000000")).build()),
        settings("end"),
        NOW);
    request("answers", "3", NOW + 30, NOW);
    assertThat(deadlines.inherited(reply("answers", "2")).headers())
        .isEqualTo(FieldTable.builder().put("end", 2_000_000L).build());
    assertThat(deadlines.inherited(reply("answers", "1")).headers()).isEqualTo(deadline(NOW + 10));
    assertThat(deadlines.inherited(reply("answers", "3")).headers()).isEqualTo(deadline(NOW + 30));
  }

  @Test
  void lateReplyIsKnownForAWhile() {
    request("answers", "1", NOW, NOW);
    long last = NOW + ReplyDeadlines.KEPT_MILLIS - 1;
    request("answers", "2", NOW + 1_000_000, last);
    assertThat(deadlines.deadlineOf(deadlines.inherited(reply("answers", "1")))).isEqualTo(NOW);
    request("answers", "3", NOW + 1_000_000, last + 1);
    assertThat(deadlines.deadlineOf(reply("answers", "1"))).isEqualTo(Deadlines.NEVER);
  }

  @Test
  void latestRequestsAreRemembered() {
    for (int i = 0; i < 2 * ReplyDeadlines.MOST_REQUESTS; i++) {
      request("answers", Integer.toString(i), NOW + 10, NOW);
    }
    int first = ReplyDeadlines.MOST_REQUESTS;
    assertThat(deadlines.inherited(reply("answers", Integer.toString(first))).headers())
        .isEqualTo(deadline(NOW + 10));
    Message forgotten = reply("answers", Integer.toString(first - 1));
    assertThat(deadlines.inherited(forgotten)).isSameAs(forgotten);
  }

  @Test
  void whatItKeepsIsCounted() {
    request("answers", "1", NOW, NOW);
    long one = kept.get();
    assertThat(one).isPositive();
    request("answers", "1", NOW + 5, NOW);
    assertThat(kept).hasValue(one);
    request("answers", "2", NOW + 500_000, NOW + 2 * ReplyDeadlines.KEPT_MILLIS);
    assertThat(kept).hasValue(one);
    request("answers", "3", NOW, NOW + 2 * ReplyDeadlines.KEPT_MILLIS);
    assertThat(kept).hasValue(2 * one);
  }
}
