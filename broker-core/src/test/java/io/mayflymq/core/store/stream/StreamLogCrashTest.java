package io.mayflymq.core.store.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Whatever a crash takes: what was confirmed is there, under its offset, and nothing else is. */
class StreamLogCrashTest {
  private static final int SEGMENT_BYTES = 4096;

  private OneStream one;
  private StreamStore stream;
  private long confirmed;

  @Property(tries = 200)
  void confirmedMessagesOfAStreamSurviveCrashes(@ForAll long seed) {
    Random random = new Random(seed);
    confirmed = 0;
    open(new MemoryDirectory());
    long first = 0;
    for (int step = 0; step < 60; step++) {
      switch (random.nextInt(8)) {
        case 0 -> one.write();
        case 1 -> {
          first = Math.max(first, retain(random));
        }
        case 2 -> crash(random);
        default -> append(1 + random.nextInt(10), random);
      }
      check(first);
    }
  }

  /** A kill may leave what was not forced; its offset must not be given to another message. */
  @Test
  void messagesServedAfterARestartSurvivePowerLoss() {
    open(new MemoryDirectory());
    append(1, new Random(1));
    one.write();
    one.disk().failForceAfter(0);
    stream.append(message(1, 10), 1);
    one.flush(null);
    one.write();
    open(one.disk().afterKill());
    assertThat(stream.safeOffset()).isEqualTo(2);
    open(one.disk().afterPowerLoss(new Random(3), 0));
    assertThat(stream.nextOffset()).isEqualTo(2);
  }

  private long retain(Random random) {
    stream.retain(3L * SEGMENT_BYTES + random.nextInt(SEGMENT_BYTES), -1, 0);
    return stream.firstOffset();
  }

  private void append(int count, Random random) {
    for (int i = 0; i < count; i++) {
      stream.append(message(stream.nextOffset(), random.nextInt(600)), stream.nextOffset());
    }
    long upTo = stream.nextOffset();
    one.flush(
        new Commit() {
          @Override
          public void safe() {
            confirmed = upTo;
          }

          @Override
          public void failed() {
            throw new AssertionError("nothing fails here");
          }
        });
  }

  private void crash(Random random) {
    long safe = confirmed;
    MemoryDirectory disk = one.disk();
    open(
        random.nextBoolean() ? disk.afterKill() : disk.afterPowerLoss(random, random.nextDouble()));
    assertThat(stream.nextOffset()).isGreaterThanOrEqualTo(safe);
    confirmed = safe;
  }

  private void check(long first) {
    assertThat(stream.safeOffset()).isGreaterThanOrEqualTo(confirmed);
    List<Long> read = new ArrayList<>();
    try (StreamCursor cursor = stream.read(first)) {
      while (cursor.next()) {
        read.add(cursor.offset());
        assertThat(new String(body(cursor.message()), 0, 8, StandardCharsets.UTF_8))
            .isEqualTo("%08d".formatted(cursor.offset()));
      }
    }
    for (int i = 1; i < read.size(); i++) {
      assertThat(read.get(i)).isEqualTo(read.get(i - 1) + 1);
    }
    if (stream.safeOffset() > Math.max(first, stream.firstOffset())) {
      assertThat(read.get(0)).isEqualTo(Math.max(first, stream.firstOffset()));
      assertThat(read.get(read.size() - 1)).isEqualTo(stream.safeOffset() - 1);
    }
  }

  private void open(MemoryDirectory disk) {
    one = new OneStream(disk, () -> {});
    stream = one.store();
    stream.segmentBytes(SEGMENT_BYTES);
    one.recover();
  }

  private static Message message(long offset, int more) {
    byte[] content =
        "\0\0%08d%s".formatted(offset, "x".repeat(more)).getBytes(StandardCharsets.UTF_8);
    return new Message(
        ShortString.EMPTY, ShortString.of("s"), content, 2, Message.NO_TTL, 0, false, List.of());
  }

  private static byte[] body(Message message) {
    byte[] content = message.content();
    return Arrays.copyOfRange(content, message.propertiesLength(), content.length);
  }
}
