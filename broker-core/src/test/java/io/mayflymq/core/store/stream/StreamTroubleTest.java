package io.mayflymq.core.store.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.store.segment.MemoryDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Streams cannot be written: that is told, and that it has ended, however it ends. */
class StreamTroubleTest {
  private static final String BLOCKED = "blocked: No space left on device";

  private final MemoryDirectory disk = new MemoryDirectory();
  private final OneStream one = new OneStream(disk, () -> {});

  @BeforeEach
  void fillTheDisk() {
    one.store().segmentBytes(1 << 16);
    one.recover();
    append();
    disk.fill(0);
    append();
    assertThat(one.troubles()).containsExactly(BLOCKED);
  }

  private void append() {
    one.store().append(NumberedMessage.of(0, true, Message.NO_TTL, 100), 0);
    one.flush(null);
    one.write();
  }

  @Test
  void thereIsRoomAgain() {
    disk.fill(Long.MAX_VALUE);
    append();
    assertThat(one.troubles()).containsExactly(BLOCKED, "unblocked: it can be written again");
  }

  @Test
  void theyAreClosed() {
    one.close();
    assertThat(one.troubles()).containsExactly(BLOCKED, "unblocked: it was closed");
  }

  @Test
  void theyFail() {
    disk.fill(Long.MAX_VALUE);
    disk.failForceAfter(0);
    append();
    assertThat(one.troubles())
        .containsExactly(
            BLOCKED, "unblocked: the log of streams has failed", "failed: Input/output error");
  }
}
