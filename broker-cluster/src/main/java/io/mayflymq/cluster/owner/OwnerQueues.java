package io.mayflymq.cluster.owner;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import java.util.HashMap;
import java.util.Map;

/** The queues of a link by the numbers that the other node has given them. On the link's shard. */
final class OwnerQueues {
  /**
   * A queue as the other node knows it.
   *
   * @param queue null if it is not here
   */
  private record Entry(String vhost, String name, long id, Queue queue) {}

  private final QueueLookup lookup;
  private final Map<Long, Entry> byNumber = new HashMap<>();

  OwnerQueues(QueueLookup lookup) {
    this.lookup = lookup;
  }

  void put(long number, String vhost, String name, long id) {
    byNumber.put(number, new Entry(vhost, name, id, lookup.find(vhost, name, id)));
  }

  /** Returns whether a queue is not here, and may come. */
  boolean isAwaited(long number) {
    Entry entry = byNumber.get(number);
    return entry.queue == null && lookup.mayCome(entry.vhost, entry.name, entry.id);
  }

  /** Looks for a queue again. Returns whether it is here. */
  boolean lookAgain(long number) {
    Entry entry = byNumber.get(number);
    put(number, entry.vhost, entry.name, entry.id);
    return byNumber.get(number).queue != null;
  }

  void clear() {
    byNumber.clear();
  }

  /** Returns a queue; null if it is not here. */
  Queue get(long number) {
    if (entry(number).queue == null) {
      lookAgain(number);
    }
    return entry(number).queue;
  }

  /** Returns a queue; fails with 404 if it is not here. */
  Queue require(long number) {
    Queue queue = get(number);
    if (queue == null) {
      throw noQueue(entry(number));
    }
    return queue;
  }

  private static ChannelException noQueue(Entry entry) {
    return new Preconditions(entry.vhost).noQueue(entry.name);
  }

  private Entry entry(long number) {
    Entry entry = byNumber.get(number);
    if (entry == null) {
      throw new ByteFormatException("no queue has the number " + number);
    }
    return entry;
  }
}
