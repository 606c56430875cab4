package io.mayflymq.server.standby;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Reads messages of a queue for a standby, in slices of a millisecond on the queue's shard. The
 * queue lives on between them: a message that leaves meanwhile may be told or not.
 */
final class QueueReading implements Runnable {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int BETWEEN_LOOKS_AT_THE_CLOCK = 64;

  private final Queue queue;
  private final MessagePart part;
  private final Wanted wanted;
  private final Shard shard;
  private final PartitionTime time;
  private final SequenceRanges present = new SequenceRanges();
  private final List<byte[]> messages = new ArrayList<>();
  private final CompletableFuture<QueueSlice> done = new CompletableFuture<>();
  private long reusedFrom = QueueSlice.NONE;
  private long end = -1;
  private long bytes;

  /** The last number whose presence is told. */
  private long ranged = -1;

  private long copied;
  private boolean isRanged;

  /**
   * What is asked for.
   *
   * @param after the messages after this number
   * @param bytes with so many bytes it ends
   * @param present whether the numbers of all messages are told
   * @param sinceMillis which numbers were given to other messages since this time; {@link
   *     Long#MAX_VALUE} if that is not asked
   */
  record Wanted(long after, long bytes, boolean present, long sinceMillis) {}

  private QueueReading(Queue queue, MessagePart part, Wanted wanted) {
    this.queue = queue;
    this.part = part;
    this.wanted = wanted;
    this.shard = queue.shard();
    this.time = queue.partition().time();
    this.copied = wanted.after();
    this.isRanged = !wanted.present();
  }

  /**
   * Reads. Any thread may call.
   *
   * @param queue on this node
   * @return null if there are no messages of this kind, or the queue is deleted
   */
  static CompletableFuture<QueueSlice> of(Queue queue, MessagePart part, Wanted wanted) {
    QueueReading reading = new QueueReading(queue, part, wanted);
    reading.shard.execute(reading);
    return reading.done;
  }

  @Override
  public void run() {
    try {
      MessageReader reader = queue.onShard().messageReader(part);
      if (reader == null) {
        done.complete(null);
      } else if (slice(reader)) {
        done.complete(
            new QueueSlice(
                queue.id(),
                wanted.present() ? present : null,
                reusedFrom,
                messages,
                copied,
                isComplete(reader)));
      } else {
        shard.executeLater(this);
      }
    } catch (RuntimeException e) {
      done.completeExceptionally(e);
    }
  }

  private boolean isComplete(MessageReader reader) {
    long next = reader.next(copied);
    return next < 0 || next >= end;
  }

  /**
   * Does a slice.
   *
   * @return whether that was all
   */
  private boolean slice(MessageReader reader) {
    if (end < 0) {
      end = reader.end();
    }
    long until = shard.elapsedNanos() + SLICE_NANOS;
    while (!isRanged) {
      for (int i = 0; i < BETWEEN_LOOKS_AT_THE_CLOCK && !isRanged; i++) {
        range(reader);
      }
      if (shard.elapsedNanos() >= until) {
        return false;
      }
    }
    // Each may have to be read from the disk.
    while (copy(reader)) {
      if (shard.elapsedNanos() >= until) {
        return false;
      }
    }
    return true;
  }

  /** Tells the presence of a message, or of all that are left if no number among them is free. */
  private void range(MessageReader reader) {
    long next = reader.next(ranged);
    if (next < 0 || next >= end) {
      isRanged = true;
      return;
    }
    boolean asksForTimes = wanted.sinceMillis() != Long.MAX_VALUE && next <= wanted.after();
    boolean isRest = !asksForTimes && reader.end() - next == reader.count() - present.count();
    if (isRest) {
      present.append(next, end);
      isRanged = true;
      return;
    }
    if (asksForTimes
        && reusedFrom == QueueSlice.NONE
        && time.toMachine(reader.enqueuedAt(next)) > wanted.sinceMillis()) {
      reusedFrom = next;
      copied = next - 1;
    }
    present.append(next, next + 1);
    ranged = next;
  }

  /**
   * Copies a message.
   *
   * @return whether there may be more to copy
   */
  private boolean copy(MessageReader reader) {
    long next = reader.next(copied);
    if (next < 0 || next >= end || bytes >= wanted.bytes()) {
      return false;
    }
    copied = next;
    Message message = reader.message(next);
    if (message != null) {
      byte[] written = CopiedMessage.write(reader, next, message, time);
      messages.add(written);
      bytes += written.length;
    }
    return true;
  }
}
