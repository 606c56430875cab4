package io.mayflymq.cluster.replication;

import io.mayflymq.core.queue.SharedLeases;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * When the queues of a partition that have leases were last used, as far as the next leader has to
 * know. On the thread of the partition.
 *
 * <p>Each use of a queue renews its lease, and there may be very many uses. So the leader notes
 * that a queue was used, and that it may be used for some more time without a note: that is a small
 * part of the lease. A use behind that is noted before the client is told of it: the note goes to
 * the followers before the burst of the use, which they are sent even if it has changed nothing,
 * and what is told in a burst waits until all replicas in sync have forced it. So the next leader,
 * which is one of them, knows of each use that a client knows of, or believes in a later one: no
 * lease ends early, and one ends late by that small part at most. That a use which lasts has begun
 * or ended is noted twice in that part at most, as messages that are got may be acknowledged soon.
 * A leader that hands over tells the exact times before.
 *
 * <p>Notes are not in the log. They are needed as long as the processes run that have heard them: a
 * node that was started anew does not know them until a leader has told all, and when it leads
 * without, leases begin anew.
 *
 * <p>They say for how long a queue has been unused, as the clocks of nodes differ. The time that a
 * message was under way is added, which makes leases longer by as much.
 */
public final class QueueLeases implements SharedLeases {
  /** How many notes a message has at most. */
  static final int MOST_AT_ONCE = 4_096;

  private static final long IN_USE = Long.MAX_VALUE;

  private final LongSupplier clock;

  /** Until when each queue was used, or may have been, in ms by the clock. */
  private final Map<Long, Long> usedUntil = new HashMap<>(0);

  /** For how long queues have been unused, exactly, while this node leads. */
  private final Map<Long, LongSupplier> led = new LinkedHashMap<>(0);

  private final Map<Integer, Unsent> followers = new HashMap<>(0);

  /** What a follower that is connected has not been sent. */
  private static final class Unsent {
    private final Set<Long> queues = new LinkedHashSet<>();
    private boolean beginsAnew = true;
  }

  /**
   * Creates it without any.
   *
   * @param clock a monotonic clock, in ms
   */
  public QueueLeases(LongSupplier clock) {
    this.clock = clock;
  }

  // Queues that this node leads

  /** This node leads the partition, with these queues. */
  public void begin(Set<Long> queueIds) {
    led.clear();
    usedUntil.keySet().retainAll(queueIds);
  }

  @Override
  public long unusedMillis(long queueId) {
    Long until = usedUntil.get(queueId);
    return until == null ? 0 : Math.max(0, clock.getAsLong() - until);
  }

  @Override
  public void used(long queueId, long unusedMillis, LongSupplier exactly) {
    led.put(queueId, exactly);
    note(queueId, clock.getAsLong() - unusedMillis);
  }

  @Override
  public void inUse(long queueId) {
    led.remove(queueId);
    note(queueId, IN_USE);
  }

  @Override
  public void ended(long queueId, LongSupplier exactly) {
    led.put(queueId, exactly);
  }

  /** Forgets a queue, which is not there any more. */
  public void gone(long queueId) {
    led.remove(queueId);
    if (usedUntil.remove(queueId) != null) {
      followers.values().forEach(unsent -> unsent.queues.add(queueId));
    }
  }

  /** Notes exactly when each queue was used last, as this node is to lead no more. */
  public void noteExactly() {
    led.forEach(
        (queueId, unusedMillis) -> {
          long until = clock.getAsLong() - unusedMillis.getAsLong();
          if (until < usedUntil.get(queueId)) {
            note(queueId, until);
          }
        });
  }

  private void note(long queueId, long until) {
    usedUntil.put(queueId, until);
    followers.values().forEach(unsent -> unsent.queues.add(queueId));
  }

  // To followers

  /** A follower is to be sent everything. */
  void begin(int follower) {
    Unsent unsent = new Unsent();
    unsent.queues.addAll(usedUntil.keySet());
    followers.put(follower, unsent);
  }

  /** A follower is sent nothing more. */
  void end(int follower) {
    followers.remove(follower);
  }

  /** Returns whether there are notes that a follower has not been sent. */
  boolean hasUnsent(int follower) {
    Unsent unsent = followers.get(follower);
    return unsent != null && !unsent.queues.isEmpty();
  }

  /** Returns whether that is more than a message has. */
  boolean hasManyUnsent(int follower) {
    Unsent unsent = followers.get(follower);
    return unsent != null && unsent.queues.size() > MOST_AT_ONCE;
  }

  /** Returns what a follower is to be sent now. */
  LeaseNotes take(int follower) {
    Unsent unsent = followers.get(follower);
    if (unsent == null || (unsent.queues.isEmpty() && !unsent.beginsAnew)) {
      return LeaseNotes.NONE;
    }
    long now = clock.getAsLong();
    List<LeaseNote> notes = new ArrayList<>();
    Iterator<Long> queues = unsent.queues.iterator();
    while (queues.hasNext() && notes.size() < MOST_AT_ONCE) {
      notes.add(noteOf(queues.next(), now));
      queues.remove();
    }
    boolean all = unsent.beginsAnew;
    unsent.beginsAnew = false;
    return new LeaseNotes(all, notes);
  }

  private LeaseNote noteOf(long queueId, long now) {
    Long until = usedUntil.get(queueId);
    if (until == null) {
      return new LeaseNote(queueId, LeaseNote.GONE);
    }
    return new LeaseNote(queueId, until == IN_USE ? LeaseNote.IN_USE : now - until);
  }

  // From the leader

  /** The leader that is followed has sent notes. */
  void heard(LeaseNotes heard) {
    if (heard.all()) {
      usedUntil.clear();
    }
    for (LeaseNote note : heard.notes()) {
      if (note.unusedMillis() == LeaseNote.GONE) {
        usedUntil.remove(note.queueId());
      } else {
        usedUntil.put(
            note.queueId(),
            note.unusedMillis() == LeaseNote.IN_USE
                ? IN_USE
                : clock.getAsLong() - note.unusedMillis());
      }
    }
  }

  /** This node leads no more, or does not lead yet: nothing is sent. */
  void endAll() {
    led.clear();
    followers.clear();
  }
}
