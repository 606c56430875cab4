package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.RecordTargets;
import io.mayflymq.core.store.segment.SegmentLog;
import java.util.HashMap;
import java.util.Map;

/**
 * The entries of messages that have died, until their dead letters are safe.
 *
 * <p>A dead message is in no queue, but still in the log. If its dead letter stays on the same
 * shard, one record removes it here and adds it there: a move. If it goes to another shard, the
 * entry is settled when the dead letter is safe there; until then the log must be able to find the
 * entry when it copies live ones, so such entries are listed in "awaited". An entry whose dead
 * letter has failed stays listed: after a restart the message is back in its queue, and dies again.
 *
 * <p>A move is always ended, also after an exception: what is stored during a move has no location
 * of its own. If its record cannot be written, the new entries leave their queues again.
 */
final class UnsettledEntries {
  private final SegmentLog log;
  private final QueueList queues;
  private final Map<Key, UnsettledEntry> awaited = new HashMap<>();
  private final PendingMove move;

  private record Key(long queueId, long sequence) {
    static Key of(UnsettledEntry entry) {
      return new Key(entry.queueId(), entry.sequence());
    }
  }

  UnsettledEntries(SegmentLog log, QueueList queues, PendingMove move) {
    this.log = log;
    this.queues = queues;
    this.move = move;
  }

  // Entries that wait for another shard

  /** Keeps an entry that waits for another shard. */
  void await(UnsettledEntry entry) {
    if (awaited.put(Key.of(entry), entry) == null) {
      countAwaited(entry, 1);
    }
  }

  /** Releases an entry that has waited for another shard. */
  void arrived(UnsettledEntry entry) {
    if (!awaited.isEmpty() && awaited.remove(Key.of(entry)) != null) {
      countAwaited(entry, -1);
    }
  }

  private void countAwaited(UnsettledEntry entry, int more) {
    DiskQueueStore queue = queues.get(entry.queueId());
    if (queue != null) {
      queue.awaits(more);
    }
  }

  /** Returns the awaited entry at this location; null if there is none. */
  UnsettledEntry awaitedAt(long queueId, long sequence, long location) {
    UnsettledEntry entry = awaited.get(new Key(queueId, sequence));
    return entry != null && entry.location() == location ? entry : null;
  }

  // Moves within the shard

  void beginMove(UnsettledEntry source, Message deadLetter) {
    arrived(source);
    move.open(source, deadLetter);
  }

  /**
   * Writes the move.
   *
   * @param keepSource whether the entry is still needed, as one of the queues has failed
   */
  void endMove(long nowMillis, boolean keepSource) {
    boolean written = false;
    try {
      write(nowMillis, keepSource);
      written = true;
    } finally {
      if (!written) {
        withdraw();
      }
      if (!written || keepSource) {
        await(move.source());
      }
      move.close();
    }
  }

  private void write(long nowMillis, boolean keepSource) {
    UnsettledEntry source = move.source();
    RecordTargets targets = move.targets();
    if (targets.size() == 0) {
      if (!keepSource) {
        log.settle(source.queueId(), source.sequence(), source.location(), source.bodyLength());
      }
      return;
    }
    long location =
        keepSource
            ? log.enqueue(targets, nowMillis, move.deadLetter())
            : log.move(
                source.queueId(),
                source.sequence(),
                source.location(),
                source.bodyLength(),
                targets,
                nowMillis,
                move.deadLetter());
    for (int i = 0; i < targets.size(); i++) {
      place(targets.queueId(i), targets.sequence(i), location);
    }
  }

  private void place(long queueId, long sequence, long location) {
    UnsettledEntry dead = move.dead(queueId, sequence);
    if (dead != null) {
      dead.moveTo(location);
    } else {
      queues.get(queueId).queue().moved(sequence, location);
    }
  }

  /**
   * Removes the unwritten entries from their queues: otherwise they would be read at the location
   * of the next record.
   */
  private void withdraw() {
    RecordTargets targets = new RecordTargets();
    targets.set(move.targets());
    for (int i = 0; i < targets.size(); i++) {
      queues.get(targets.queueId(i)).queue().discard(targets.sequence(i));
    }
  }
}
