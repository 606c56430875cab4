package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes of the index of a segment, which later versions read too. */
class IndexBuilderTest {
  private static final String BYTES =
      "4d4159464c5949580100000001000000020000000000000007000000780900000300000000000000"
          + "05000000be00000041900382c0e285e368ac0200020602feffffffffffffffff01c1faffffffff3f"
          + "03f3ffffffffffffffff0100019003feffffffffffff03ac020002f9ffffffff3f82808080808080"
          + "04f4ffffffffffffffff01c1faffffffff3fffffffffffffff07f3ffffffffffffffff0100006401"
          + "9003fffdffffffffff03ac02ff02f9ffffffff3f8082808080808004f4ffffffffffffffff01c1fa"
          + "ffffffff3fff03f3ffffffffffffffff01000428f9ffffffff3f8202e7070508180001090807672c"
          + "536e";

  private final RecordHeader head = new RecordHeader();
  private final IndexBuilder index = new IndexBuilder(16);

  private void add(RecordType type, int offset, int length) {
    head.type = type;
    head.segment = 7;
    head.offset = offset;
    head.length = length;
    index.add(head);
  }

  private void message(int offset, long sequence, int priority) {
    head.enqueuedAt = 1_800_000_000_000L + sequence;
    head.bodyLength = 300;
    head.priority = priority;
    head.targets.clear();
    head.targets.add(3, sequence, Long.MAX_VALUE, 0xc1);
    head.targets.add(1L << 40, -sequence, 5, 0);
    add(RecordType.ENQUEUE, offset, 400);
  }

  @Test
  void bytesAreThoseOfEarlierVersions() throws Exception {
    message(SegmentHeader.SPACE, 1, 0);
    message(SegmentHeader.SPACE + 400, 1L << 50, Message.NO_PRIORITY);
    message(SegmentHeader.SPACE + 900, 128, 255);
    head.goneQueue = 3;
    head.goneFrom = 1;
    head.goneTo = 1_000;
    head.goneSegment = 2;
    add(RecordType.SETTLE, SegmentHeader.SPACE + 1_300, 40);
    head.returnedQueue = 3;
    head.returnedAll = true;
    head.returnedNotes = new byte[] {9, 8, 7};
    add(
        RecordType.RETURNED,
        SegmentHeader.SPACE + 1_340,
        RecordFormat.RETURNED_FIXED + head.returnedNotes.length);

    MemoryDirectory files = new MemoryDirectory();
    index.build(new SegmentHeader(1, 2, 7, 3), SegmentHeader.SPACE + 1_400).store(files);
    LogFile file = files.open(SegmentNames.index(7), false);
    ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
    file.read(bytes, 0);
    assertThat(HexFormat.of().formatHex(bytes.array())).isEqualTo(BYTES);
  }

  private static SegmentIndex loaded(SegmentIndex stored) throws Exception {
    MemoryDirectory files = new MemoryDirectory();
    stored.store(files);
    return SegmentIndex.load(files.open(SegmentNames.index(7), false), 7);
  }

  private void alike(int place, long sequence) {
    head.enqueuedAt = 1_800_000_000_000L;
    head.bodyLength = 300;
    head.priority = 0;
    head.targets.clear();
    head.targets.add(3, sequence, Long.MAX_VALUE, 0);
    add(RecordType.ENQUEUE, SegmentHeader.SPACE + 400 * place, 400);
  }

  @Test
  void recordsThatAreAlikeAreCounted() throws Exception {
    for (int i = 0; i < 10_000; i++) {
      alike(i, i);
    }
    assertThat(index.size()).isLessThan(100);
    SegmentHeader header = new SegmentHeader(1, 2, 7, 3).ofReplica();
    SegmentIndex read = loaded(index.build(header, SegmentHeader.SPACE + 4_000_000));

    assertThat(read.header()).isEqualTo(header);
    assertThat(read.records()).isEqualTo(10_000);
    IndexCursor cursor = read.cursor();
    for (int i = 0; i < 10_000; i++) {
      assertThat(cursor.next(head)).isTrue();
      assertThat(head.offset).isEqualTo(SegmentHeader.SPACE + 400 * i);
      assertThat(head.targets.sequence(0)).isEqualTo(i);
    }
    assertThat(cursor.next(head)).isFalse();
    assertThat(cursor.end()).isEqualTo(SegmentHeader.SPACE + 4_000_000);
  }

  @Test
  void whateverIsRepeatedIsReadAsItWasAdded() throws Exception {
    Random random = new Random(29);
    List<String> added = new ArrayList<>();
    long sequence = 1;
    int offset = SegmentHeader.SPACE;
    for (int i = 0; i < 20_000; i++) {
      offset += random.nextInt(20) == 0 ? 8 : 0;
      if (random.nextInt(4) == 0) {
        head.goneQueue = 3;
        head.goneFrom = sequence;
        head.goneTo = sequence;
        head.goneSegment = 7;
        add(RecordType.SETTLE, offset, 40);
      } else {
        sequence += random.nextInt(8) == 0 ? 2 : 1;
        head.enqueuedAt = 1_800_000_000_000L + i / 100;
        head.bodyLength = 300;
        head.priority = 0;
        head.targets.clear();
        head.targets.add(3, sequence, Long.MAX_VALUE, 0);
        add(RecordType.ENQUEUE, offset, 400);
      }
      added.add(told());
      offset = head.offset + head.length;
    }
    IndexCursor cursor = loaded(index.build(new SegmentHeader(1, 2, 7, 3), offset)).cursor();
    for (String expected : added) {
      assertThat(cursor.next(head)).isTrue();
      assertThat(told()).isEqualTo(expected);
    }
    assertThat(cursor.next(head)).isFalse();
  }

  private String told() {
    return head.type.hasContent
        ? "%s %d %d %d %d"
            .formatted(
                head.type, head.offset, head.length, head.enqueuedAt, head.targets.sequence(0))
        : "%s %d %d %d".formatted(head.type, head.offset, head.length, head.goneFrom);
  }

  /** What the cursor returns is what was added. */
  @Test
  void cursorReadsWhatWasAdded() {
    message(SegmentHeader.SPACE, 1L << 50, 4);
    message(SegmentHeader.SPACE + 500, 2, 0);
    IndexCursor cursor = index.build(new SegmentHeader(1, 2, 7, 3), 5_000).cursor();
    RecordHeader read = new RecordHeader();

    assertThat(cursor.next(read)).isTrue();
    assertThat(read.targets.sequence(0)).isEqualTo(1L << 50);
    assertThat(read.targets.flags(0)).isEqualTo(0xc1);
    assertThat(read.priority).isEqualTo(4);
    assertThat(cursor.next(read)).isTrue();
    assertThat(cursor.gap()).isEqualTo(100);
    assertThat(read.targets.queueId(1)).isEqualTo(1L << 40);
    assertThat(read.targets.sequence(1)).isEqualTo(-2);
    assertThat(read.enqueuedAt).isEqualTo(1_800_000_000_002L);
    assertThat(cursor.next(read)).isFalse();
  }
}
