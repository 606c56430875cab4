package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.record.RecordTargets;
import java.util.ArrayList;
import java.util.List;

/**
 * A dead letter on its way into queues of the shard that it died in. What is stored is collected
 * here first, since one record has it all. Until that is written the new entries have no location;
 * one that dies or leaves in the same moment is found here.
 */
final class PendingMove {
  private final RecordTargets targets = new RecordTargets();
  private final RecordTargets kept = new RecordTargets();
  private final List<UnsettledEntry> dead = new ArrayList<>();
  private UnsettledEntry source;
  private Message deadLetter;

  boolean isOpen() {
    return source != null;
  }

  void open(UnsettledEntry entry, Message message) {
    source = entry;
    deadLetter = message;
  }

  void add(long queueId, long sequence, long deadlineMillis) {
    targets.add(queueId, sequence, deadlineMillis, 0);
  }

  /** A message that was added is gone again. */
  void remove(long queueId, long sequence) {
    kept.clear();
    for (int i = 0; i < targets.size(); i++) {
      if (targets.queueId(i) != queueId || targets.sequence(i) != sequence) {
        kept.add(
            targets.queueId(i), targets.sequence(i), targets.deadlineMillis(i), targets.flags(i));
      }
    }
    targets.clear();
    for (int i = 0; i < kept.size(); i++) {
      targets.add(kept.queueId(i), kept.sequence(i), kept.deadlineMillis(i), kept.flags(i));
    }
  }

  /** A message that was added has died again. */
  void addDead(UnsettledEntry entry) {
    dead.add(entry);
  }

  /** The entry of a message that was added and has died again; null if it has not. */
  UnsettledEntry dead(long queueId, long sequence) {
    for (UnsettledEntry entry : dead) {
      if (entry.queueId() == queueId && entry.sequence() == sequence) {
        return entry;
      }
    }
    return null;
  }

  UnsettledEntry source() {
    return source;
  }

  /** What moves: the content of every entry that has no location yet. */
  Message deadLetter() {
    return deadLetter;
  }

  RecordTargets targets() {
    return targets;
  }

  void close() {
    source = null;
    deadLetter = null;
    targets.clear();
    dead.clear();
  }
}
