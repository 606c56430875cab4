package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.store.segment.RecordTargets;
import java.util.ArrayList;
import java.util.List;

/**
 * A dead letter that moves into queues of the shard that it died in. Its new entries are collected
 * here first, since they are written as one record. Until then they have no location; an entry that
 * dies or leaves meanwhile is found here.
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

  /** Called when an added message has left its queue again. */
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

  /** Called when an added message has died again. */
  void addDead(UnsettledEntry entry) {
    dead.add(entry);
  }

  /** Returns the entry of an added message that has died again; null if it has not. */
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

  /** Returns the message that is moved: the content of every entry that has no location yet. */
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
