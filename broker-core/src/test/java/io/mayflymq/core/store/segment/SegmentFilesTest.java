package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.BYTE_ARRAY;

import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Files of segments that are gone, and what is written over them. */
class SegmentFilesTest {
  private static final int SEGMENT = LogRig.options(Sync.ALWAYS).segmentBytes();

  /** The first messages of a queue arrive and leave until a segment has left its file. */
  private static LogRig withSpare() {
    LogRig rig = new LogRig();
    int sequence = 0;
    while (spares(rig).isEmpty()) {
      rig.enqueue(1, sequence, LogRig.message(sequence, 100));
      rig.settle(1, sequence++);
      rig.safe();
    }
    return rig;
  }

  @Test
  void spareFileThatABackupLinksIsNotWrittenOver() throws IOException {
    LogRig rig = withSpare();
    rig.directory.link(spares(rig).get(0));
    int first = segments(rig);
    int filler = 0;
    while (segments(rig) == first) {
      rig.enqueue(3, filler, LogRig.message(filler++, 300));
      rig.safe();
    }

    assertThat(spares(rig)).isEmpty();
    assertThat(last(rig)).hasSizeLessThan(SEGMENT);
  }

  private static List<String> spares(LogRig rig) {
    return rig.directory.names().stream().filter(SegmentNames::isSpare).toList();
  }

  /** A log that writes over an old file, and how many messages of queue 2 it has there. */
  private static LogRig inOldFile(int messages) {
    LogRig rig = withSpare();
    byte[] old = rig.directory.bytes(spares(rig).get(0));
    int first = segments(rig);
    int filler = 0;
    while (segments(rig) == first) {
      rig.enqueue(3, filler, LogRig.message(filler++, 300));
      rig.safe();
    }
    assertThat(spares(rig)).isEmpty();
    assertThat(last(rig)).hasSize(old.length);
    for (int i = 0; i < messages; i++) {
      rig.enqueue(2, i, LogRig.message(i, 100));
    }
    rig.safe();
    assertThat(last(rig)).hasSize(old.length).asInstanceOf(BYTE_ARRAY).endsWith(tail(old, 500));
    return rig;
  }

  private static int segments(LogRig rig) {
    return SegmentNames.segments(rig.directory.names()).stream().reduce((a, b) -> b).orElse(0);
  }

  private static byte[] last(LogRig rig) {
    return rig.directory.bytes(SegmentNames.log(segments(rig)));
  }

  private static byte[] tail(byte[] bytes, int length) {
    return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
  }

  private static void readAll(LogRig rig, int messages) {
    for (int i = 0; i < messages; i++) {
      SegmentLogTest.assertSame(rig.read(2, i), LogRig.message(i, 100));
    }
  }

  @Test
  void oldRecordsInAReusedFileAreNoDamage() {
    LogRig killed = inOldFile(3).reopen();
    assertThat(killed.report.damages()).isEmpty();
    readAll(killed, 3);
    assertThat(killed.entries.keySet()).noneMatch(key -> key.queueId() == 1);
  }

  @Test
  void checkReportsNoDamageInAReusedFile() throws IOException {
    LogRig rig = inOldFile(3);
    assertThat(LogCheck.of(rig.directory).damages()).isEmpty();
  }

  @Test
  void tornRecordInAReusedFileIsReported() throws IOException {
    LogRig rig = inOldFile(3);
    String name = SegmentNames.log(segments(rig));
    byte[] before = rig.directory.bytes(name).clone();
    rig.enqueue(2, 3, LogRig.message(3, 100));
    rig.safe();
    byte[] after = rig.directory.bytes(name);
    int from = Location.offset(rig.entries.get(new LogRig.QueueKey(2, 3)).location());
    byte[] torn = after.clone();
    System.arraycopy(before, from + 60, torn, from + 60, torn.length - from - 60);
    rig.directory.put(name, torn);
    assertThat(LogCheck.of(rig.directory).damages())
        .containsExactly(new Damage(name, Damage.Kind.TORN_TAIL, from, torn.length));
    LogRig killed = rig.reopen();
    assertThat(killed.report.damages())
        .containsExactly(new Damage(name, Damage.Kind.TORN_TAIL, from, torn.length));
    readAll(killed, 3);
  }

  @Test
  void readAheadStopsAtTheOldRecordsOfAReusedFile() {
    LogRig rig = inOldFile(8);
    // The first ones are read from the file, what comes behind is not yet in it.
    int unwritten = 14;
    for (int i = 8; i < unwritten; i++) {
      rig.enqueue(2, i, LogRig.message(i, 100));
      rig.log.flush();
      if (i < unwritten - 2) {
        rig.executor.runAll();
      }
    }
    readAll(rig, unwritten);
    // Then it is, and no longer elsewhere.
    for (int i = unwritten; i < 40; i++) {
      rig.enqueue(2, i, LogRig.message(i, 100));
      rig.safe();
    }
    readAll(rig, 40);
  }

  @Test
  void completeSegmentIsCutBehindItsRecords() {
    LogRig rig = inOldFile(3);
    String name = SegmentNames.log(segments(rig));
    rig.close();
    assertThat(rig.directory.sizes().get(name)).isLessThan(SEGMENT * 3 / 4);
    rig.directory.remove(name.replace(".log", ".idx"));
    LogRig again = rig.reopen();
    assertThat(again.report.damages()).isEmpty();
    readAll(again, 3);
  }

  @Test
  void startDeletesSpareFiles() {
    LogRig rig = withSpare();
    LogRig killed = rig.reopen();
    assertThat(spares(killed)).isEmpty();
    assertThat(killed.report.damages()).isEmpty();
  }

  @Test
  void closingTheLogDeletesSpareFiles() {
    LogRig rig = withSpare();
    rig.close();
    assertThat(spares(rig)).isEmpty();
  }

  @Test
  void idleLogDeletesSpareFiles() {
    LogRig rig = withSpare();
    rig.log.trimMemory();
    rig.executor.runAll();
    assertThat(spares(rig)).as("there was work to do").hasSize(1);
    rig.log.trimMemory();
    rig.executor.runAll();
    assertThat(spares(rig)).isEmpty();
    rig.log.trimMemory();
    rig.executor.runAll();
    for (int i = 0; i < 60; i++) {
      rig.enqueue(2, i, LogRig.message(i, 100));
      rig.safe();
    }
    readAll(rig.reopen(), 60);
  }

  @Test
  void fullDiskDeletesSpareFiles() {
    LogRig rig = withSpare();
    rig.directory.fill(0);
    rig.enqueue(1, 1000, LogRig.message(0, 100));
    rig.safe();
    assertThat(rig.log.state()).isEqualTo(LogState.BLOCKED);
    assertThat(spares(rig)).isEmpty();
  }

  @Test
  void newFileIsCreatedIfTheSpareOneCannotBeReused() {
    LogRig rig = withSpare();
    rig.directory.remove(spares(rig).get(0));
    for (int i = 0; i < 60; i++) {
      rig.enqueue(2, i, LogRig.message(i, 100));
      rig.safe();
    }
    assertThat(rig.log.state()).isEqualTo(LogState.OPEN);
    readAll(rig.reopen(), 60);
  }

  @Test
  void segmentHeaderOfTheFirstVersionIsRead() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(SegmentHeader.SPACE).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < SegmentHeader.SPACE; at += SegmentHeader.SPACE / 2) {
      header.put(at, "MAYFLYSG".getBytes(StandardCharsets.US_ASCII));
      header.putInt(at + 8, 1).putInt(at + 12, 3).putLong(at + 16, 77).putInt(at + 24, 5);
      header.putLong(at + 28, 1234);
      CRC32C crc = new CRC32C();
      crc.update(header.array(), at, 36);
      header.putInt(at + 36, (int) crc.getValue());
    }
    MemoryDirectory directory = new MemoryDirectory();
    directory.put("0000000005.log", header.array());
    assertThat(SegmentHeader.read(directory.open("0000000005.log", false), "0000000005.log"))
        .isEqualTo(new SegmentHeader.Found(new SegmentHeader(3, 77, 5, 1234), 2, 1));
  }
}
