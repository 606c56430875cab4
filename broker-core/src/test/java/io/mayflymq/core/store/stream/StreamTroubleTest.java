package io.mayflymq.core.store.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.store.segment.MemoryDirectory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
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

  /** The shard waits for a force, so it must not wait for room. */
  @Test
  void forceFailsAtOnceUntilThereIsRoom() {
    CompletableFuture<Void> refused = one.force();
    one.write();
    assertThat(refused)
        .isCompletedExceptionally()
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("No space left on device");
    disk.fill(Long.MAX_VALUE);
    CompletableFuture<Void> forced = one.force();
    one.write();
    assertThat(forced).isCompleted();
    assertThat(one.store().safeOffset()).isEqualTo(2);
  }

  @Test
  void forceFailsWhenTheyFail() {
    disk.fill(Long.MAX_VALUE);
    disk.failForceAfter(0);
    CompletableFuture<Void> first = one.force();
    one.write();
    CompletableFuture<Void> second = one.force();
    one.write();
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedExceptionally();
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
