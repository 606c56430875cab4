package io.mayflymq.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Credit, filters and retention of a stream, with a clock and a disk that the test drives. */
class StreamMachineTest {
  private static final FieldValue FIRST = FieldValue.of("first");

  private static FieldTable fromFirst(FieldTable more) {
    return more.with(StreamOffset.HEADER, FIRST);
  }

  private static FieldTable filterValue(String value) {
    return FieldTable.builder().put(StreamFilter.HEADER, FieldValue.of(value)).build();
  }

  // Delivering

  @Test
  void streamDeliversMessagesOnlyWhenTheyAreSafe() {
    StreamRig rig = new StreamRig();
    StreamRig.Reader reader = rig.read(FIRST);
    rig.append("a");
    assertThat(reader.taken()).isEmpty();
    rig.force();
    assertThat(reader.taken()).containsExactly("a");
  }

  @Test
  void everyStreamConsumerGetsAllMessages() {
    StreamRig rig = new StreamRig();
    StreamRig.Reader one = rig.read(FIRST);
    rig.publish("a", "b");
    StreamRig.Reader other = rig.read(FIRST);
    assertThat(one.taken()).containsExactly("a", "b");
    assertThat(other.taken()).containsExactly("a", "b");
    assertThat(rig.machine().readyCount()).isEqualTo(2);
  }

  @Test
  void everySettlementGivesAStreamConsumerCredit() {
    StreamRig rig = new StreamRig();
    rig.publish("a", "b", "c", "d", "e", "f");
    StreamRig.Reader reader = rig.read(fromFirst(FieldTable.EMPTY), 2);
    assertThat(reader.taken()).containsExactly("a", "b");
    rig.machine().acknowledge(reader.consumer(), 0, 0, rig.now());
    assertThat(reader.taken()).containsExactly("c");
    rig.machine().requeue(reader.consumer(), 1, 1, rig.now());
    assertThat(reader.taken()).as("nothing comes back").containsExactly("d");
    rig.machine().reject(reader.consumer(), 2, 3, DropTrigger.CONSUMER, rig.now());
    assertThat(reader.taken()).containsExactly("e", "f");
  }

  @Test
  void streamConsumerWithoutRoomContinuesAtItsOffset() {
    StreamRig rig = new StreamRig();
    StreamRig.Reader reader = rig.read(FIRST);
    reader.room(1);
    rig.publish("a", "b", "c");
    assertThat(reader.taken()).containsExactly("a");
    reader.room(10);
    rig.publish("d");
    assertThat(reader.taken()).as("it has to be woken").isEmpty();
    rig.machine().resume(reader.consumer(), rig.now());
    assertThat(reader.taken()).containsExactly("b", "c", "d");
  }

  @Test
  void streamBacklogIsReadInSlices() {
    StreamRig rig = new StreamRig();
    int count = 2 * StreamMachine.SLICE_MESSAGES + 1;
    rig.publish(Collections.nCopies(count, "m").toArray(String[]::new));
    StreamRig.Reader reader = rig.read(fromFirst(FieldTable.EMPTY), count);
    assertThat(reader.taken()).hasSize(StreamMachine.SLICE_MESSAGES);
    assertThat(rig.timerAt()).as("the rest is due at once").isZero();
    rig.at(0);
    assertThat(reader.offsets()).hasSize(count).isSorted().endsWith(count - 1L);
  }

  @Test
  void cancellingTheLastStreamConsumerIsReported() {
    StreamRig rig = new StreamRig();
    StreamRig.Reader one = rig.read(FIRST);
    StreamRig.Reader other = rig.read(FIRST);
    assertThat(rig.machine().cancel(one.consumer(), rig.now())).isFalse();
    rig.publish("a");
    assertThat(one.taken()).isEmpty();
    assertThat(other.taken()).containsExactly("a");
    assertThat(rig.machine().cancel(other.consumer(), rig.now())).isTrue();
    assertThat(rig.machine().cancel(other.consumer(), rig.now())).isFalse();
  }

  // Filters

  @Test
  void streamFilterSkipsMessagesThatDoNotMatch() {
    StreamRig rig = new StreamRig();
    rig.publishWith(filterValue("red"), "r1");
    rig.publishWith(filterValue("blue"), "b1");
    rig.publish("none");
    rig.publishWith(filterValue("red"), "r2");
    FieldTable red = FieldTable.builder().put(StreamFilter.ARGUMENT, FieldValue.of("red")).build();
    FieldTable both =
        FieldTable.builder()
            .put(
                StreamFilter.ARGUMENT,
                new FieldValue.Array(List.of(FieldValue.of("red"), FieldValue.of("blue"))))
            .build();
    FieldTable orNone = red.with(StreamFilter.MATCH_UNFILTERED, FieldValue.Bool.of(true));
    assertThat(rig.read(fromFirst(red), 10).taken()).containsExactly("r1", "r2");
    assertThat(rig.read(fromFirst(both), 10).taken()).containsExactly("r1", "b1", "r2");
    assertThat(rig.read(fromFirst(orNone), 10).taken()).containsExactly("r1", "none", "r2");
    assertThat(rig.read(FIRST).taken()).containsExactly("r1", "b1", "none", "r2");
  }

  @Test
  void messagesSkippedByAStreamFilterTakeNoCredit() {
    StreamRig rig = new StreamRig();
    FieldTable red = FieldTable.builder().put(StreamFilter.ARGUMENT, FieldValue.of("red")).build();
    StreamRig.Reader reader = rig.read(fromFirst(red), 1);
    rig.publish("x", "y");
    rig.publishWith(filterValue("red"), "r1");
    rig.publishWith(filterValue("red"), "r2");
    assertThat(reader.taken()).containsExactly("r1");
    rig.machine().acknowledge(reader.consumer(), 2, 2, rig.now());
    assertThat(reader.taken()).containsExactly("r2");
    assertThat(reader.offsets()).containsExactly(2L, 3L);
  }

  // Retention

  private static final String KILOBYTE = "x".repeat(1_000);

  /** Segments as small as they can be: of four messages of a kilobyte. */
  private static FieldTable smallSegments() {
    return FieldTable.builder()
        .put("x-stream-max-segment-size-bytes", new FieldValue.Int32(1))
        .build();
  }

  /** A kilobyte each second, as the first message in its own burst. */
  private static void fillSeconds(StreamRig rig, int from, int to) {
    for (int second = from; second < to; second++) {
      rig.at(second * 1_000L);
      rig.publish(KILOBYTE);
    }
  }

  private static long firstOffset(StreamRig rig) {
    StreamRig.Reader reader = rig.read(FIRST);
    rig.machine().cancel(reader.consumer(), rig.now());
    return reader.offsets().get(0);
  }

  @Test
  void streamSegmentIsDeletedWhenItsNewestMessageIsTooOld() {
    StreamRig rig = new StreamRig(smallSegments().with("x-max-age", FieldValue.of("10s")));
    fillSeconds(rig, 0, 6);
    long perSegment = segmentLength(rig);
    assertThat(rig.timerAt())
        .as("when the first segment is too old")
        .isEqualTo(Deadlines.after((perSegment - 1) * 1_000, 10_000));
    rig.at(rig.timerAt() - 1);
    assertThat(firstOffset(rig)).isZero();
    rig.at(rig.timerAt());
    assertThat(firstOffset(rig)).isEqualTo(perSegment);
    rig.at(1_000_000);
    assertThat(firstOffset(rig)).as("the last segment stays").isEqualTo(perSegment);
    assertThat(rig.timerAt()).isEqualTo(Deadlines.NEVER);
  }

  /** How many messages of a kilobyte a small segment has. */
  private static long segmentLength(StreamRig rig) {
    FieldTable one = smallSegments().with("x-max-length-bytes", new FieldValue.Int32(0));
    FieldTable type = one.with("x-queue-type", FieldValue.of("stream"));
    long gone = rig.machine().policyImpact(StreamRig.settings(type), rig.now()).overflowing();
    assertThat(gone).isBetween(2L, 5L);
    return gone;
  }

  @Test
  void oldestStreamSegmentsAreDeletedWhileTheStreamIsTooLarge() {
    StreamRig rig =
        new StreamRig(smallSegments().with("x-max-length-bytes", new FieldValue.Int32(20_000)));
    for (int i = 0; i < 100; i++) {
      rig.publish(KILOBYTE);
      assertThat(rig.machine().totals().readyBytes()).isLessThan(20_000 + 6_000);
    }
    long first = firstOffset(rig);
    assertThat(first).isBetween(80L, 95L);
    rig.restart();
    assertThat(firstOffset(rig)).isEqualTo(first);
    assertThat(rig.machine().readyCount()).isEqualTo(100 - first);
  }

  @Test
  void changedRetentionAppliesAsForecast() {
    StreamRig rig = new StreamRig(smallSegments());
    fillSeconds(rig, 0, 20);
    FieldTable shorter =
        smallSegments()
            .with("x-queue-type", FieldValue.of("stream"))
            .with("x-max-length-bytes", new FieldValue.Int32(10_000));
    long gone = rig.machine().policyImpact(StreamRig.settings(shorter), rig.now()).overflowing();
    assertThat(firstOffset(rig)).isZero();
    rig.machine().reconfigure(StreamRig.settings(shorter), rig.now());
    assertThat(gone).isPositive();
    assertThat(firstOffset(rig)).isEqualTo(gone);
  }

  @Test
  void consumerBehindRetentionContinuesAtTheOldestMessage() {
    StreamRig rig =
        new StreamRig(smallSegments().with("x-max-length-bytes", new FieldValue.Int32(10_000)));
    StreamRig.Reader slow = rig.read(fromFirst(FieldTable.EMPTY), 1);
    for (int i = 0; i < 50; i++) {
      rig.publish(KILOBYTE);
    }
    assertThat(slow.offsets()).containsExactly(0L);
    long first = firstOffset(rig);
    rig.machine().acknowledge(slow.consumer(), 0, 0, rig.now());
    assertThat(slow.offsets()).containsExactly(0L, first);
    assertThat(rig.read(new FieldValue.Int32(3)).offsets()).startsWith(first);
  }
}
