package io.mayflymq.cluster.store;

import io.mayflymq.cluster.store.ReplicaContents.Back;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.segment.Location;
import java.util.Map;
import java.util.TreeMap;

/** A queue of a leader that keeps its entries in the simplest way. */
final class NaiveQueue implements RecoverableQueue {
  /** Where a message is, and what is known of it. */
  record StoredMessage(long location, int bodyLength, long deadline, long at, String name) {
    StoredMessage at(long changed) {
      return new StoredMessage(changed, bodyLength, deadline, at, name);
    }
  }

  final long id;
  final QueueStore store;
  final TreeMap<Long, StoredMessage> entries = new TreeMap<>();
  final TreeMap<Long, Back> returned = new TreeMap<>();
  long delivered = -1;

  NaiveQueue(long id, QueueStore store) {
    this.id = id;
    this.store = store;
    store.attach(this);
  }

  /** The messages have been recovered: their contents can be read. */
  void recovered() {
    entries.replaceAll(
        (sequence, entry) ->
            new StoredMessage(
                entry.location,
                entry.bodyLength,
                entry.deadline,
                entry.at,
                store.read(entry.location, false).routingKey().toString()));
    returned.keySet().retainAll(entries.keySet());
  }

  @Override
  public boolean recovered(
      long sequence,
      long ownDeadlineMillis,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    StoredMessage entry =
        new StoredMessage(location, bodyLength, ownDeadlineMillis, enqueuedAtMillis, "");
    return entries.putIfAbsent(sequence, entry) == null;
  }

  @Override
  public long locationOf(long sequence) {
    StoredMessage entry = entries.get(sequence);
    return entry == null ? Location.NONE : entry.location;
  }

  @Override
  public long ownDeadlineOf(long sequence) {
    return entries.get(sequence).deadline;
  }

  @Override
  public long arrivalOf(long sequence) {
    return entries.get(sequence).at;
  }

  @Override
  public int settled(long sequence) {
    return entries.remove(sequence).bodyLength;
  }

  @Override
  public void recoveredDelivered(long upTo) {
    delivered = Math.max(delivered, upTo);
  }

  @Override
  public void recoveredReturns(byte[] notes, boolean all) {
    if (all) {
      returned.clear();
    }
    RedeliveryNotes.forEach(
        notes,
        (sequence, returns, until) ->
            returned.merge(
                sequence,
                new Back(returns, until),
                (old, changed) -> changed.returns() >= old.returns() ? changed : old));
  }

  @Override
  public void noteReturns(RedeliveryNotes notes, int mostBytes) {
    for (Map.Entry<Long, Back> note : returned.entrySet()) {
      if (notes.size() < mostBytes) {
        notes.add(note.getKey(), note.getValue().returns(), note.getValue().untilMillis());
      }
    }
  }

  @Override
  public boolean isLive(long sequence, long location, boolean paged) {
    return !paged && locationOf(sequence) == location;
  }

  @Override
  public void moved(long sequence, long location) {
    entries.computeIfPresent(sequence, (key, entry) -> entry.at(location));
  }

  @Override
  public void discard(long sequence) {
    entries.remove(sequence);
  }

  @Override
  public void forEachStored(EntrySink sink) {
    new TreeMap<>(entries)
        .forEach(
            (sequence, entry) ->
                sink.accept(sequence, entry.location, entry.bodyLength, entry.at, false));
  }
}
