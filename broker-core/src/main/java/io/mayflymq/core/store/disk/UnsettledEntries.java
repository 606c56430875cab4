package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.UnsettledEntry;
import java.util.HashMap;
import java.util.Map;

/**
 * The entries of messages that have died, until their dead letters are safe.
 *
 * <p>A dead message is in no queue, but still in the log. If its dead letter stays on the same
 * shard, one record removes it here and adds it there ({@link PendingMove}). If it goes to another
 * shard, the entry is settled when the dead letter is safe there; until then the log must be able
 * to find the entry when it copies live ones, so such entries are listed here. An entry whose dead
 * letter has failed stays listed: after a restart the message is back in its queue, and dies again.
 */
final class UnsettledEntries {
  private final QueueList queues;
  private final Map<Key, UnsettledEntry> awaited = new HashMap<>();

  private record Key(long queueId, long sequence) {
    static Key of(UnsettledEntry entry) {
      return new Key(entry.queueId(), entry.sequence());
    }
  }

  UnsettledEntries(QueueList queues) {
    this.queues = queues;
  }

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
}
