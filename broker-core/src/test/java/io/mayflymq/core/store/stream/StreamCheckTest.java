package io.mayflymq.core.store.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.Damage;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.core.store.stream.StreamCheck.SegmentFile;
import io.mayflymq.protocol.types.ShortString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What is said about a stream's files is what a start makes of them. */
class StreamCheckTest {
  private static final int SEGMENT_BYTES = 64 << 10;

  private MemoryDirectory disk = new MemoryDirectory();
  private OneStream one;
  private StreamStore stream;

  private void open() {
    one = new OneStream(disk, () -> {});
    stream = one.store();
    stream.segmentBytes(SEGMENT_BYTES);
    one.recover();
  }

  private void append(int count) {
    for (int i = 0; i < count; i++) {
      byte[] content = new byte[1_000];
      stream.append(
          new Message(
              ShortString.EMPTY,
              ShortString.of("s"),
              content,
              2,
              Message.NO_TTL,
              0,
              false,
              List.of()),
          stream.nextOffset());
      if (i % 10 == 0) {
        one.flush(null);
      }
    }
    one.flush(null);
  }

  private static Map<String, byte[]> contents(MemoryDirectory directory) throws IOException {
    Map<String, byte[]> contents = new TreeMap<>();
    for (Map.Entry<String, Integer> file : directory.sizes().entrySet()) {
      ByteBuffer bytes = ByteBuffer.allocate(file.getValue());
      try (LogFile opened = directory.open(file.getKey(), false)) {
        opened.read(bytes, 0);
      }
      contents.put(file.getKey(), bytes.array());
    }
    return contents;
  }

  /** The check, which must not have changed anything. */
  private StreamCheck check() throws IOException {
    Map<String, byte[]> before = contents(disk);
    StreamCheck check = StreamCheck.of(disk);
    assertThat(disk.sizes().keySet()).isEqualTo(before.keySet());
    contents(disk).forEach((name, bytes) -> assertThat(bytes).isEqualTo(before.get(name)));
    return check;
  }

  private static long messages(StreamCheck check) {
    return check.segments().stream().mapToLong(SegmentFile::messages).sum();
  }

  private long readable() {
    long count = 0;
    try (StreamCursor cursor = stream.read(0)) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  @Test
  void streamCheckListsSegments() throws IOException {
    open();
    append(100);
    one.write();
    StreamCheck check = check();
    assertThat(check.damages()).isEmpty();
    assertThat(check.segments()).hasSize(2).allMatch(SegmentFile::index);
    SegmentFile first = check.segments().get(0);
    SegmentFile second = check.segments().get(1);
    assertThat(first)
        .returns("0000000001.log", SegmentFile::file)
        .returns(0L, SegmentFile::firstOffset)
        .returns(first.messages() - 1, SegmentFile::lastOffset);
    assertThat(second)
        .returns(first.messages(), SegmentFile::firstOffset)
        .returns(99L, SegmentFile::lastOffset);
    assertThat(messages(check)).isEqualTo(100);
  }

  @Property(tries = 50)
  void crashOfAStreamLeavesNoDamage(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    disk = new MemoryDirectory();
    open();
    for (int i = 0; i < 10; i++) {
      append(random.nextInt(40));
      if (random.nextBoolean()) {
        one.write();
      }
    }
    disk =
        random.nextBoolean() ? disk.afterKill() : disk.afterPowerLoss(random, random.nextDouble());
    StreamCheck check = check();
    assertThat(check.damages()).allMatch(damage -> damage.kind().isHarmless());
    open();
    assertThat(messages(check)).isEqualTo(readable());
    assertThat(check().damages()).as("a start has cut off what was torn").isEmpty();
  }

  @Property(tries = 50)
  void streamCheckReportsDamageAndCountsTheOtherMessages(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    disk = new MemoryDirectory();
    open();
    append(100);
    one.write();
    // Not behind the last record that the index names: that may have been left by a crash.
    int at = 1_024 + random.nextInt(40_000);
    flip("0000000001.log", at);
    StreamCheck check = check();
    assertThat(check.damages()).hasSize(1);
    Damage damage = check.damages().get(0);
    assertThat(damage.kind()).isEqualTo(Damage.Kind.RECORDS);
    assertThat(damage.file()).isEqualTo("0000000001.log");
    assertThat((long) at).isBetween(damage.from(), damage.to() - 1);
    disk = disk.afterKill();
    open();
    assertThat(messages(check)).isEqualTo(readable()).isLessThan(100);
  }

  @Test
  void truncatedStreamSegmentIsReported() throws IOException {
    open();
    append(100);
    one.write();
    try (LogFile file = disk.open("0000000001.log", true)) {
      file.truncate(30_000);
    }
    assertThat(check().damages())
        .extracting(Damage::kind)
        .containsExactly(Damage.Kind.RECORDS, Damage.Kind.RECORDS);
  }

  @Test
  void damagedHeadersOfStreamSegmentsAreReported() throws IOException {
    open();
    append(100);
    one.write();
    flip("0000000001.log", 3);
    assertThat(check().damages())
        .containsExactly(new Damage("0000000001.log", Damage.Kind.HEADER, 0, 1_024));
    flip("0000000001.log", 515);
    StreamCheck check = check();
    int size = disk.sizes().get("0000000001.log");
    assertThat(check.damages())
        .containsExactly(new Damage("0000000001.log", Damage.Kind.SEGMENT, 0, size));
    assertThat(check.segments().get(0).messages()).isZero();
  }

  @Test
  void damagedOrMissingStreamIndexIsNoDamage() throws IOException {
    open();
    append(100);
    one.write();
    disk.delete("0000000001.offsets");
    flip("0000000002.offsets", 5);
    StreamCheck check = check();
    assertThat(check.damages()).isEmpty();
    assertThat(check.segments()).hasSize(2).noneMatch(SegmentFile::index);
    assertThat(messages(check)).isEqualTo(100);
  }

  private void flip(String name, int position) throws IOException {
    try (LogFile file = disk.open(name, true)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, position);
      one.put(0, (byte) (one.get(0) ^ 1)).rewind();
      file.write(one, position);
    }
  }
}
