package io.mayflymq.server.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.alarm.Alarm.Fault;
import io.mayflymq.server.alarm.Alarm.Resource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlarmsTest {
  private static final Fault LOG = new Fault("message log of shard 0 cannot be written");

  private final Alarms alarms = new Alarms();
  private final List<String> heard = new ArrayList<>();

  AlarmsTest() {
    alarms.addListener(
        new Alarms.Listener() {
          @Override
          public void firstRaised() {
            assertThat(alarms.isRaised()).isTrue();
            heard.add("raised: " + alarms.reason());
          }

          @Override
          public void lastCleared() {
            assertThat(alarms.isRaised()).isFalse();
            heard.add("cleared");
          }
        });
  }

  @Test
  void listenersAreCalledForTheFirstAndTheLastBlockingAlarmOnly() {
    assertThat(alarms.raise(Resource.MEMORY, "much")).isTrue();
    assertThat(alarms.raise(Resource.DISK, "little")).isTrue();
    assertThat(alarms.raise(LOG, "No space left on device")).isTrue();
    assertThat(heard).containsExactly("raised: low on memory");
    assertThat(alarms.clear(Resource.MEMORY, "less")).isTrue();
    assertThat(alarms.clear(LOG, "written again")).isTrue();
    assertThat(heard).hasSize(1);
    assertThat(alarms.isRaised()).isTrue();
    assertThat(alarms.clear(Resource.DISK, "more")).isTrue();
    assertThat(heard).containsExactly("raised: low on memory", "cleared");
    assertThat(alarms.isRaised()).isFalse();
    assertThat(alarms.reason()).isNull();
  }

  @Test
  void failureAlarmDoesNotBlockPublishers() {
    Alarm.Failure failure = new Alarm.Failure("message log 0 has failed");
    assertThat(alarms.raise(failure, "Input/output error")).isTrue();
    assertThat(alarms.raised()).containsExactly(failure);
    assertThat(alarms.failures()).containsExactly("message log 0 has failed");
    assertThat(alarms.isRaised()).isFalse();
    assertThat(alarms.reason()).isNull();
    assertThat(heard).isEmpty();
    alarms.raise(Resource.DISK, "little");
    alarms.clear(Resource.DISK, "more");
    assertThat(heard).containsExactly("raised: low on disk", "cleared");
    assertThat(alarms.clear(failure, "mended")).isTrue();
    assertThat(heard).hasSize(2);
    assertThat(alarms.raised()).isEmpty();
  }

  @Test
  void alarmRaisedTwiceIsClearedByOneClear() {
    assertThat(alarms.raise(Resource.DISK, "a")).isTrue();
    assertThat(alarms.raise(Resource.DISK, "b")).isFalse();
    assertThat(alarms.raised()).containsExactly(Resource.DISK);
    assertThat(alarms.clear(Resource.DISK, "c")).isTrue();
    assertThat(alarms.clear(Resource.DISK, "d")).isFalse();
    assertThat(heard).containsExactly("raised: low on disk", "cleared");
  }

  @Test
  void clearingAnAlarmThatIsNotRaisedNotifiesNoListener() {
    assertThat(alarms.clear(Resource.MEMORY, "a")).isFalse();
    alarms.raise(Resource.DISK, "b");
    assertThat(alarms.clear(LOG, "c")).isFalse();
    assertThat(alarms.isRaised()).isTrue();
    assertThat(heard).hasSize(1);
  }

  @Test
  void blockingReasonIsRabbitMqsTextOrThatOfTheFault() {
    alarms.raise(LOG, "No space left on device");
    assertThat(alarms.reason()).isEqualTo("message log of shard 0 cannot be written");
    alarms.raise(Resource.MEMORY, "a");
    assertThat(alarms.reason())
        .isEqualTo("low on memory; message log of shard 0 cannot be written");
    alarms.raise(Resource.DISK, "b");
    alarms.clear(LOG, "c");
    assertThat(alarms.reason()).isEqualTo("low on disk & memory");
  }

  @Test
  void faultsWithDifferentDescriptionsAreDifferentAlarms() {
    alarms.raise(new Fault("a"), "x");
    alarms.raise(new Fault("b"), "x");
    assertThat(alarms.raise(new Fault("a"), "x")).isFalse();
    alarms.clear(new Fault("a"), "x");
    assertThat(alarms.raised()).containsExactly(new Fault("b"));
    assertThat(alarms.reason()).isEqualTo("b");
  }

  @Test
  void longReasonIsCutToAShortString() {
    alarms.raise(new Fault("\uD83D\uDE80".repeat(100)), "x");
    String reason = alarms.reason();
    assertThat(reason.getBytes(StandardCharsets.UTF_8)).hasSize(252);
    assertThat(reason).isEqualTo("\uD83D\uDE80".repeat(63));
  }

  @Test
  void manualAlarmIsClearedManuallyOnly() {
    Alarm byHand = new Alarm.ByHand(Resource.MEMORY);
    alarms.raise(byHand, "by hand");
    alarms.raise(Resource.MEMORY, "too much");
    assertThat(alarms.raised()).containsExactly(Resource.MEMORY, byHand);
    assertThat(alarms.reason()).isEqualTo("low on memory");
    alarms.clear(Resource.MEMORY, "enough");
    assertThat(alarms.reason()).isEqualTo("low on memory");
    alarms.clear(byHand, "by hand");
    assertThat(alarms.isRaised()).isFalse();
  }
}
