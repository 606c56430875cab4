package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.MessageIndex;

/**
 * Removes scheduled messages, in slices, with other work of the shard in between: to find one by
 * its id, all contents have to be read.
 */
public final class ScheduleRemoval {
  private static final int MOST_ENTRIES = 256;
  private static final long MOST_BYTES = 1 << 20;

  private final ScheduledMessages scheduled;
  private final String messageId;
  private final long end;
  private long last = -1;
  private long removed;

  ScheduleRemoval(ScheduledMessages scheduled, String messageId) {
    this.scheduled = scheduled;
    this.messageId = messageId;
    this.end = scheduled.index().nextSequence();
  }

  /** Does one slice. @return whether there is more to do */
  public boolean step() {
    MessageIndex<Message> index = scheduled.index();
    long bytes = 0;
    for (int i = 0; i < MOST_ENTRIES && bytes < MOST_BYTES; i++) {
      long sequence = index.nextReady(last);
      if (sequence < 0 || sequence >= end) {
        return false;
      }
      last = sequence;
      if (messageId != null) {
        bytes += index.bodySize(sequence);
      }
      if (isWanted(sequence)) {
        scheduled.remove(sequence);
        removed++;
      }
    }
    return true;
  }

  private boolean isWanted(long sequence) {
    if (messageId == null) {
      return true;
    }
    Message message = scheduled.read(sequence);
    return message != null && messageId.equals(message.properties().messageId());
  }

  /** Returns how many messages have been removed so far. */
  public long removed() {
    return removed;
  }
}
