package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.segment.LogCheck.QueueCount;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The log contains the names of the queues whose messages it has. */
class SegmentLogNamesTest {
  @Test
  void logNamesEveryQueueThatHasAMessage() throws IOException {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.metadata = 2;
    rig.enqueue(2, 0, LogRig.message(1, 100));
    rig.enqueue(2, 1, LogRig.message(2, 100));
    rig.enqueue(3, 0, LogRig.message(3, 100));
    rig.settle(3, 0);
    rig.safe();
    assertThat(LogCheck.of(rig.directory).queues())
        .containsExactly(
            new QueueCount(1, LogRig.nameOf(1), 1, 1), new QueueCount(2, LogRig.nameOf(2), 2, 2));
  }

  @Test
  void everySegmentNamesTheQueuesOfItsEntries() throws IOException {
    LogRig rig = new LogRig();
    for (int i = 0; i < 300; i++) {
      rig.enqueue(i % 3, i, LogRig.message(i, 100));
    }
    rig.safe();
    assertThat(rig.log.usage().segments()).isGreaterThan(5);
    assertNamed(rig);
    // In complete segments the index contains the name.
    rig.close();
    assertNamed(rig.reopen());
  }

  @Test
  void compactionCopiesTheNamesOfQueues() throws IOException {
    LogRig rig = new LogRig();
    for (int i = 0; i < 20; i++) {
      rig.enqueue(7, i, LogRig.message(i, 100));
      for (int j = 0; j < 40; j++) {
        rig.enqueue(8, i * 40 + j, LogRig.message(j, 100));
        rig.settle(8, i * 40 + j);
      }
      rig.safe();
    }
    int before = rig.log.usage().segments();
    rig.compact();
    rig.safe();
    assertThat(rig.log.usage().segments()).as("some were copied").isLessThan(before);
    assertNamed(rig);
    assertThat(LogCheck.of(rig.directory).queues())
        .containsExactly(new QueueCount(7, LogRig.nameOf(7), 1, 20));
  }

  @Test
  void segmentIndexNamesAQueueWhoseRecordIsDamaged() throws IOException {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    rig.close();
    byte[] bytes = rig.directory.bytes(SegmentNames.log(1));
    bytes[SegmentHeader.SPACE + RecordFormat.QUEUE_FIXED] ^= 1;
    LogCheck check = LogCheck.of(rig.directory);
    assertThat(check.damages()).hasSize(1);
    assertThat(check.queues()).containsExactly(new QueueCount(1, LogRig.nameOf(1), 1, 1));
  }

  @Test
  void manifestKeepsTheMetadataSequenceOfEarlierSegments() throws IOException {
    LogRig rig = new LogRig();
    for (int i = 0; i < 60; i++) {
      rig.metadata = i + 1L;
      rig.enqueue(i, 0, LogRig.message(i, 500));
    }
    rig.safe();
    ManifestContents manifest = SegmentManifest.read(rig.directory).contents();
    for (QueueCount queue : LogCheck.of(rig.directory).queues()) {
      int segment =
          Location.segment(rig.entries.get(new LogRig.QueueKey(queue.id(), 0)).location());
      if (segment < manifest.highest()) {
        assertThat(queue.knownSince()).isLessThanOrEqualTo(manifest.metadataSeen());
      }
    }
    assertThat(manifest.metadataSeen()).isGreaterThan(1);
  }

  private static void assertNamed(LogRig rig) {
    assertThat(rig.entries)
        .allSatisfy(
            (key, stored) ->
                assertThat(
                        LogRig.tellsName(
                            rig.directory, Location.segment(stored.location()), key.queueId()))
                    .isTrue());
  }
}
