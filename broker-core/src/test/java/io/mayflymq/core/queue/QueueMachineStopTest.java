package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.QueueLog.Dead;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The time of a queue stands still while it is paused. */
class QueueMachineStopTest {
  private static final QueueValues RUNS =
      QueueValues.NONE
          .with(PolicyKey.DEAD_LETTER_EXCHANGE, "dlx")
          .with(PolicyKey.MESSAGE_TTL, 1_000L)
          .with(PolicyKey.DEADLINE_HEADER, "d");

  private static QueueSettings stopped(QueueValues values) {
    return values.with(PolicyKey.PAUSE, "deliveries").with(PolicyKey.PAUSE_TTL, "stop").settings();
  }

  private static void reconfigure(ManualQueue queue, QueueSettings settings) {
    queue.machine.reconfigure(settings, queue.now);
  }

  private static Dead expired(int message, long afterMillis) {
    return new Dead(message, DeathReason.EXPIRED, ManualQueue.START + afterMillis);
  }

  @Test
  void messagesHaveWhatTheyHadWhenThePauseBegan() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    queue.publish(Message.NO_TTL);
    queue.publish(400);
    queue.advance(100);
    reconfigure(queue, stopped(RUNS));
    queue.advance(5_000);
    queue.publish(300);
    queue.publish(0);
    queue.advance(5_000);
    assertThat(queue.deaths).isEmpty();
    assertThat(queue.fetch()).isEqualTo(-1);

    reconfigure(queue, RUNS.settings());
    queue.advance(2_000);

    assertThat(queue.deaths)
        .containsExactly(
            expired(3, 10_100), expired(1, 10_401), expired(2, 10_401), expired(0, 11_001));
  }

  @Test
  void withATtlOfZeroItIsHandedOutWhenTimeGoesOnOrExpires() {
    for (ExpiryMode mode : ExpiryMode.values()) {
      QueueValues values =
          RUNS.with(PolicyKey.EXPIRY_MODE, mode.name().toLowerCase(java.util.Locale.ROOT));
      ManualQueue queue = new ManualQueue(values.settings());
      queue.subscribe(3);
      reconfigure(queue, stopped(values));
      queue.publish(0);
      queue.advance(1_000);
      queue.publish(Message.NO_TTL);
      queue.publish(0);
      queue.publish(0);
      queue.advance(1_000);
      assertThat(queue.delivered()).isEmpty();

      reconfigure(queue, values.settings());
      queue.advance(0);

      assertThat(queue.delivered()).as("%s", mode).containsExactly(0, 1, 2);
      assertThat(queue.fetch()).isEqualTo(-1);
      assertThat(queue.deaths).containsExactly(expired(3, 2_000));
    }
  }

  @Test
  void withATtlOfZeroItIsNotHandedOutIfOnlyTheTtlGoesOn() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    queue.subscribe(3);
    reconfigure(queue, stopped(RUNS));
    queue.publish(0);
    reconfigure(queue, RUNS.with(PolicyKey.PAUSE, "deliveries").settings());
    assertThat(queue.delivered()).isEmpty();
    assertThat(queue.deaths).containsExactly(expired(0, 0));
  }

  /** The TTL of the first was over when the pause began, and the timer is late. */
  @Test
  void whatWasOverBeforeThePauseIsNotHandedOutAfterIt() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    queue.publish(99);
    queue.now += 100;
    reconfigure(queue, stopped(RUNS));
    queue.subscribe(3);
    queue.publish(1, Message.NO_TTL, true, headerOf(5_000));
    queue.publish(0);
    queue.now += 5_000 - 100;
    reconfigure(queue, RUNS.settings());
    assertThat(queue.delivered()).containsExactly(2);
    assertThat(queue.dead(DeathReason.EXPIRED)).containsExactlyInAnyOrder(0, 1);
  }

  private static FieldTable headerOf(long afterMillis) {
    return FieldTable.builder()
        .put("d", new FieldValue.Int64(ManualQueue.START + afterMillis))
        .build();
  }

  @Test
  void timeGoesOnThoughTheNoteOfThePauseCannotLeave() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    queue.publish(Message.NO_TTL);
    queue.advance(100);
    reconfigure(queue, stopped(RUNS));
    queue.advance(5_000);
    queue.stops.failsToSettle = true;

    assertThatThrownBy(() -> reconfigure(queue, RUNS.settings())).hasMessage("settle 0");
    queue.advance(2_000);

    assertThat(queue.deaths).containsExactly(expired(0, 6_001));
  }

  @Test
  void deadlinesOfHeadersGoOn() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    FieldTable headers =
        FieldTable.builder().put("d", new FieldValue.Int64(ManualQueue.START + 500)).build();
    queue.publish(1, Message.NO_TTL, true, headers);
    queue.publish(200);
    reconfigure(queue, stopped(RUNS));
    queue.publish(1, 5_000, true, headers);
    queue.advance(1_000);
    assertThat(queue.deaths).containsExactly(expired(0, 500), expired(2, 500));

    reconfigure(queue, RUNS.settings());
    queue.advance(1_000);

    assertThat(queue.deaths).endsWith(expired(1, 1_201));
  }

  @Test
  void restartsChangeNothing() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      ManualQueue queue = new ManualQueue(RUNS.settings());
      ManualQueue restarted = new ManualQueue(RUNS.settings());
      boolean isStopped = false;
      for (int i = 0; i < 20; i++) {
        int step = random.nextInt(40);
        queue.advance(step);
        restarted.advance(step);
        switch (random.nextInt(4)) {
          case 0 -> {
            isStopped = !isStopped;
            QueueSettings settings = isStopped ? stopped(RUNS) : RUNS.settings();
            reconfigure(queue, settings);
            reconfigure(restarted, settings);
          }
          case 1 -> {
            List<Dead> before = new ArrayList<>(restarted.deaths);
            restarted = restarted.restarted(isStopped ? stopped(RUNS) : RUNS.settings(), 0, random);
            restarted.deaths.addAll(0, before);
          }
          default -> {
            long ttl = random.nextInt(3) == 0 ? Message.NO_TTL : 1 + random.nextInt(200);
            queue.publish(ttl);
            restarted.publish(ttl);
          }
        }
      }
      reconfigure(queue, RUNS.settings());
      reconfigure(restarted, RUNS.settings());
      queue.advance(3_000);
      restarted.advance(3_000);
      assertThat(restarted.deaths).as("round %d", round).isEqualTo(queue.deaths);
    }
  }

  @Test
  void aMessageHasLivedOnlyWhileTimeWentOn() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    queue.publish(400);
    FieldTable headers =
        FieldTable.builder().put("d", new FieldValue.Int64(ManualQueue.START + 50_000)).build();
    queue.publish(1, 30_000, true, headers);
    queue.advance(100);
    reconfigure(queue, stopped(RUNS));
    queue.advance(5_000);
    queue.publish(300);
    queue.advance(20);
    MessageExtractor extractor = queue.machine.messageExtractor();
    assertThat(lived(extractor, queue.now)).containsExactly(100L, 5_120L, 0L);

    reconfigure(queue, RUNS.settings());
    queue.advance(30);
    assertThat(lived(extractor, queue.now)).containsExactly(130L, 5_150L, 30L);
  }

  private static List<Long> lived(MessageExtractor extractor, long nowMillis) {
    List<Long> all = new ArrayList<>();
    for (long each = extractor.nextReady(-1); each >= 0; each = extractor.nextReady(each)) {
      all.add(extractor.livedMillis(each, nowMillis));
    }
    return all;
  }

  /** The broker was killed between the policy and the note, in either direction. */
  @Test
  void whatIsNotNotedBeginsOrEndsWithTheStart() {
    ManualQueue before = new ManualQueue(RUNS.settings());
    before.publish(Message.NO_TTL);
    ManualQueue begun = before.restarted(stopped(RUNS), 100, new Random(1));
    begun.advance(10_000);
    assertThat(begun.deaths).isEmpty();

    ManualQueue ended = begun.restarted(RUNS.settings(), 400, new Random(1));
    ended.advance(900);
    assertThat(ended.deaths).isEmpty();
    ended.advance(1);
    assertThat(ended.deaths).containsExactly(expired(0, 11_401));
  }

  @Test
  void theEndOfAPauseCostsNothingForManyMessages() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    for (int i = 0; i < 100_000; i++) {
      queue.publish(1, 1_000L, false);
    }
    reconfigure(queue, stopped(RUNS));
    queue.advance(60_000);
    int calls = queue.timerCalls;

    reconfigure(queue, RUNS.settings());

    assertThat(queue.timerCalls).isEqualTo(calls);
    assertThat(queue.timerAt).isEqualTo(queue.now + 1_001);
    assertThat(queue.deaths).isEmpty();
  }

  @Test
  void veryManyPausesAreJoinedInFavourOfTheMessages() {
    ManualQueue queue = new ManualQueue(RUNS.settings());
    int rounds = 2 * StoppedTimes.MOST;
    queue.publish(Message.NO_TTL);
    for (int i = 0; i < rounds; i++) {
      reconfigure(queue, stopped(RUNS));
      queue.advance(10);
      reconfigure(queue, RUNS.settings());
    }
    queue.publish(Message.NO_TTL);
    queue = queue.restarted(RUNS.settings(), 0, new Random(1));
    queue.advance(2_000);
    assertThat(queue.deaths)
        .containsExactly(expired(0, 10L * rounds + 1_001), expired(1, 10L * rounds + 1_001));
  }

  @Test
  void aMessageThatWaitsForItsRetryDoesNotExpireMeanwhile() {
    QueueValues retries =
        RUNS.with(PolicyKey.DELAYED_RETRY_TYPE, "all").with(PolicyKey.DELAYED_RETRY_MIN, 700L);
    ManualQueue queue = new ManualQueue(retries.settings());
    queue.publish(500);
    queue.fetch();
    queue.machine.requeue(queue.getter, 0, 0, queue.now);
    queue.advance(100);
    reconfigure(queue, stopped(retries));
    queue.advance(300);
    reconfigure(queue, retries.settings());
    queue.advance(400);
    assertThat(queue.deaths).isEmpty();
    queue.advance(1);
    assertThat(queue.deaths).containsExactly(expired(0, 801));
  }

  @Test
  void everyModeOfExpiryWaits() {
    for (ExpiryMode mode : ExpiryMode.values()) {
      QueueValues values =
          RUNS.with(PolicyKey.EXPIRY_MODE, mode.name().toLowerCase(java.util.Locale.ROOT));
      ManualQueue queue = new ManualQueue(values.settings());
      queue.publish(Message.NO_TTL);
      queue.publish(100);
      reconfigure(queue, stopped(values));
      queue.advance(5_000);
      assertThat(queue.deaths).isEmpty();
      reconfigure(queue, values.settings());
      assertThat(queue.fetch()).isZero();
      queue.advance(101);
      assertThat(queue.fetch()).isEqualTo(-1);
      assertThat(queue.dead(DeathReason.EXPIRED)).isEqualTo(Collections.singletonList(1));
    }
  }
}
