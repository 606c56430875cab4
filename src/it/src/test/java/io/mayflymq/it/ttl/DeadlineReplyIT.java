package io.mayflymq.it.ttl;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The deadline of a request: who asked by direct reply-to is told, and replies get it. */
@BlackBox
@MayflyOnly("RabbitMQ knows no deadlines in headers")
class DeadlineReplyIT {
  private static final String REPLY_TO = "amq.rabbitmq.reply-to";
  private static final long HOUR = 3_600_000;

  private Http http;
  private Channel asker;
  private Deliveries replies;

  @BeforeEach
  void open(Target target, Amqp amqp) throws Exception {
    http = target.http();
    asker = amqp.newConnection().createChannel();
    replies = Deliveries.from(asker, REPLY_TO, true);
  }

  private static String queue(Amqp amqp, String type, Map<String, Object> more) throws Exception {
    String queue = amqp.name();
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", type);
    arguments.put("x-deadline-header", "x-deadline");
    arguments.put("x-deadline-notify", "reply-to");
    arguments.put("x-deadline-replies", true);
    amqp.newChannel().queueDeclare(queue, true, false, false, arguments);
    return queue;
  }

  private static BasicProperties request(String replyTo, String id, long deadline) {
    return new BasicProperties.Builder()
        .deliveryMode(2)
        .replyTo(replyTo)
        .correlationId(id)
        .headers(Map.of("x-deadline", deadline))
        .build();
  }

  private static BasicProperties reply(String id) {
    return new BasicProperties.Builder().correlationId(id).build();
  }

  private static long in(long millis) {
    return System.currentTimeMillis() + millis;
  }

  private long count(String queue, String field) throws Exception {
    return http.get("queues/%2F/" + queue).json().path("message_stats").path(field).asLong();
  }

  private static void assertNotice(Delivery notice, String id, String queue) {
    assertThat(notice.properties().getType()).isEqualTo("deadline");
    assertThat(notice.properties().getCorrelationId()).isEqualTo(id);
    assertThat(notice.properties().getHeaders().get("x-deadline-queue")).hasToString(queue);
    assertThat(notice.envelope().getExchange()).isEmpty();
    assertThat(notice.body()).isEqualTo("deadline over");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void askerByDirectReplyIsTold(String type, Amqp amqp) throws Exception {
    String queue = queue(amqp, type, Map.of());
    asker.basicPublish("", queue, request(REPLY_TO, "c-1", in(50)), bytes("job"));
    assertNotice(replies.next(), "c-1", queue);
  }

  @Test
  void askerThatIsGoneIsIgnored(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", Map.of());
    asker.basicPublish("", queue, request(REPLY_TO, "c-1", in(300)), bytes("job"));
    amqp.awaitReady(queue, 1);
    asker.getConnection().close();
    await().atMost(Patience.TIME).until(() -> count(queue, "expired") == 1);
    Channel next = amqp.newChannel();
    Deliveries others = Deliveries.from(next, REPLY_TO, true);
    next.basicPublish("", queue, request(REPLY_TO, "c-2", in(50)), bytes("job"));
    assertNotice(others.next(), "c-2", queue);
  }

  /** A request that crosses a retry and dead letters, and comes back to its asker. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void deadlineCrossesRetriesAndDeadLettersAndComesBack(String type, Amqp amqp) throws Exception {
    String last = queue(amqp, type, Map.of());
    Map<String, Object> retries =
        Map.of("x-delayed-retry-type", "all", "x-delayed-retry-min", 50, "x-message-ttl", HOUR);
    String first = queue(amqp, type, Amqp.deadLetterTo(last, retries));
    long asked = System.nanoTime();
    asker.basicPublish("", first, request(REPLY_TO, "c-1", in(3000)), bytes("job"));
    Channel worker = amqp.newChannel();
    Deliveries work = Deliveries.from(worker, first, false);
    worker.basicNack(work.next().tag(), false, true);
    Delivery again = work.next();
    assertThat(again.redelivered()).isTrue();
    worker.basicNack(again.tag(), false, false);
    amqp.awaitReady(last, 1);
    Delivery notice = replies.next();
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked);
    assertNotice(notice, "c-1", last);
    assertThat(amqp.get(last)).isNull();
    assertThat(count(last, "expired_by_deadline")).isEqualTo(1);
    assertThat(count(first, "expired_by_deadline")).isZero();
    assertThat((long) notice.properties().getHeaders().get("x-deadline-waited"))
        .isLessThanOrEqualTo(passed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void replyToAQueueHasTheDeadlineOfItsRequest(String type, Amqp amqp) throws Exception {
    String answers = amqp.queue();
    String queue = queue(amqp, type, Map.of());
    long deadline = in(HOUR);
    amqp.publish(queue, request(answers, "c-1", deadline), "job");
    amqp.publish(queue, request(answers, "c-2", deadline), "job");
    Channel worker = amqp.newChannel();
    Deliveries work = Deliveries.from(worker, queue, true);
    work.next(2);
    Channel other = amqp.newChannel();
    other.basicPublish("", answers, reply("c-1"), bytes("other channel"));
    BasicProperties own =
        reply("c-2").builder().headers(Map.of("x-deadline", 5L + deadline)).build();
    other.basicPublish("", answers, own, bytes("own"));
    other.basicPublish("", answers, reply("c-3"), bytes("no request"));
    amqp.newConnection()
        .createChannel()
        .basicPublish("", answers, reply("c-1"), bytes("other connection"));
    amqp.awaitReady(answers, 4);
    Map<String, Object> found = new HashMap<>();
    for (int i = 0; i < 4; i++) {
      GetResponse got = worker.basicGet(answers, true);
      Map<String, Object> headers = got.getProps().getHeaders();
      found.put(Amqp.text(got.getBody()), headers == null ? null : headers.get("x-deadline"));
    }
    assertThat(found)
        .containsEntry("other channel", deadline)
        .containsEntry("own", deadline + 5)
        .containsEntry("no request", null)
        .containsEntry("other connection", null);
  }

  @Test
  void getAndTransactionsCount(Amqp amqp) throws Exception {
    String answers = amqp.queue();
    String queue = queue(amqp, "classic", Map.of());
    long deadline = in(HOUR);
    amqp.publish(queue, request(answers, "c-1", deadline), "job");
    Channel worker = amqp.newChannel();
    worker.txSelect();
    GetResponse job = worker.basicGet(queue, false);
    worker.basicPublish("", answers, reply("c-1"), bytes("done"));
    worker.basicAck(job.getEnvelope().getDeliveryTag(), false);
    worker.txCommit();
    GetResponse got = worker.basicGet(answers, true);
    assertThat(got.getProps().getHeaders()).containsEntry("x-deadline", deadline);
  }

  @Test
  void directReplyThatIsTooLateIsNotDelivered(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", Map.of());
    asker.basicPublish("", queue, request(REPLY_TO, "late", in(700)), bytes("job"));
    asker.basicPublish("", queue, request(REPLY_TO, "good", in(HOUR)), bytes("job"));
    Channel worker = amqp.newChannel();
    Deliveries work = Deliveries.from(worker, queue, true);
    String replyTo = work.next().properties().getReplyTo();
    work.next();
    long deadline = in(700);
    await().atMost(Patience.TIME).until(() -> System.currentTimeMillis() > deadline);
    worker.basicPublish("", replyTo, reply("late"), bytes("late"));
    worker.basicPublish("", replyTo, reply("good"), bytes("good"));
    Delivery delivered = replies.next();
    assertThat(delivered.body()).isEqualTo("good");
    assertThat(delivered.properties().getHeaders()).containsKey("x-deadline");
    replies.assertNothing();
  }

  @Test
  void withoutTheKeyRepliesStayAsTheyAre(Amqp amqp) throws Exception {
    String answers = amqp.queue();
    String queue = amqp.queue(Map.of("x-deadline-header", "x-deadline"));
    amqp.publish(queue, request(answers, "c-1", in(HOUR)), "job");
    Channel worker = amqp.newChannel();
    assertThat(worker.basicGet(queue, true)).isNotNull();
    worker.basicPublish("", answers, reply("c-1"), bytes("done"));
    amqp.awaitReady(answers, 1);
    assertThat(worker.basicGet(answers, true).getProps().getHeaders()).isNull();
  }

  @Test
  void savedWorkIsCounted(Amqp amqp) throws Exception {
    String queue = queue(amqp, "classic", Map.of());
    amqp.publish(queue, request("no-queue", "c-1", in(-1)), "over");
    amqp.publish(queue, request("no-queue", "c-2", in(400)), "returned");
    amqp.publish(queue, request("no-queue", "c-3", in(400)), "never handed out");
    amqp.publish(queue, Amqp.expiring(1), "by its TTL");
    Channel worker = amqp.newChannel();
    GetResponse got = worker.basicGet(queue, false);
    assertThat(Amqp.text(got.getBody())).isEqualTo("returned");
    worker.basicNack(got.getEnvelope().getDeliveryTag(), false, true);
    await().atMost(Patience.TIME).until(() -> count(queue, "expired") == 4);
    assertThat(count(queue, "expired_by_deadline")).isEqualTo(2);
    assertThat(http.get("overview").json().at("/message_stats/expired_by_deadline").asLong())
        .isGreaterThanOrEqualTo(2);
    assertThat(
            ControlCommand.of(amqp.target())
                .run("list_queues", "-s", "name", "expired_by_deadline")
                .out())
        .contains(queue + "\t2");
  }
}
