package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.ForwardingMove;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.ForwardingQueueStore;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/*
 * Watches the stores of a broker from above, and knows what must, may and must not be there after a crash.
 *
 * Whatever a store is told is an event of its shard. A commit that has become safe makes all events before it safe. So after a crash an entry
 * must be there if it was stored safely and never settled; must not if it was settled safely; and a move is either there or is not.
 *
 * Across shards and crashes it keeps account of the messages, by their numbers: one whose publisher was told that it is safe is
 * somewhere, unless it has come to its end (was acknowledged, purged, or died where nothing leads on).
 */
final class StoreObserver {
  private static final long NEVER = Long.MAX_VALUE;

  record Key(long queueId, long sequence) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = Long.compare(queueId, other.queueId);
      return order != 0 ? order : Long.compare(sequence, other.sequence);
    }
  }

  private final class Entry {
    final long made = ++StoreObserver.this.made;
    final Key key;
    final int shard;
    final int number;
    long storedAt = NEVER;
    long settledAt = NEVER;
    long deliveredAt = NEVER;
    boolean buried;

    /** How many entries had been made when it was delivered last. */
    long deliveredAfter = -1;

    /** What the first delivery after a start must be flagged as; null if that is uncertain. */
    Boolean redelivered;

    Entry(Key key, int shard, int number) {
      this.key = key;
      this.shard = shard;
      this.number = number;
    }

    @Override
    public String toString() {
      return "message %d as %s on shard %d, stored %d settled %d buried %s"
          .formatted(number, key, shard, storedAt, settledAt, buried);
    }
  }

  /** A dead letter on the way: when it left, and the queue that it surely enters, or null. */
  private record Sent(long made, Long target) {}

  private record Moved(Entry source, List<Entry> targets, long at) {}

  /**
   * What the mark of a message says that an operator has moved: the queue, and its number there.
   */
  private record Mark(String queue, long sequence) {}

  private final TreeMap<Key, Entry> entries = new TreeMap<>();
  private final List<Moved> moves = new ArrayList<>();
  private final Map<Integer, Entry> firstEntries = new HashMap<>();
  private final Set<Integer> published = new HashSet<>();
  private final Set<Integer> confirmed = new TreeSet<>();
  private final Set<Integer> ended = new HashSet<>();
  private final Map<Long, Long> highestDelivered = new HashMap<>();
  private List<Watched> shards = new ArrayList<>();
  private long[] safe = new long[0];
  private final TreeMap<Key, Integer> found = new TreeMap<>();
  private final Set<Long> known = new HashSet<>();
  private final BiPredicate<Long, Long> leads;
  private final UnaryOperator<Long> target;
  private final Predicate<Long> deleted;
  private final LongFunction<String> nameOf;

  /** What has come out of an entry by a move of an operator, by what the mark of a move says. */
  private final Map<Mark, List<Entry>> cameBy = new HashMap<>();

  private boolean recovering;
  private long made;

  /**
   * Opens a ledger.
   *
   * @param leads whether dead messages of the one queue go to the other
   * @param target the queue that all dead messages of another surely enter; null if there is none
   * @param deleted whether a queue is deleted
   * @param nameOf the name of a queue; null if it is not known
   */
  StoreObserver(
      BiPredicate<Long, Long> leads,
      UnaryOperator<Long> target,
      Predicate<Long> deleted,
      LongFunction<String> nameOf) {
    this.leads = leads;
    this.target = target;
    this.deleted = deleted;
    this.nameOf = nameOf;
  }

  /** What is to be put around each store of a broker that starts, in the order of the shards. */
  PartitionStore watch(PartitionStore store) {
    if (!recovering) {
      recovering = true;
      safe = shards.stream().mapToLong(shard -> shard.safe).toArray();
      shards = new ArrayList<>();
      found.clear();
      known.clear();
    }
    Watched watched = new Watched(store, shards.size());
    shards.add(watched);
    return watched;
  }

  // The publishers' side

  void published(int number) {
    published.add(number);
  }

  /** A publisher was told that its persistent message is safe in a durable queue. */
  void confirmed(int number) {
    Entry first = firstEntries.get(number);
    if (first == null) {
      ended.add(number);
    } else {
      assertThat(first.storedAt)
          .as("confirmed before it was safe: %s", first)
          .isLessThanOrEqualTo(safeOf(first));
    }
    confirmed.add(number);
  }

  /** A message was delivered. */
  void delivered(long queueId, long sequence, int number, boolean redelivered) {
    Entry entry = entries.get(new Key(queueId, sequence));
    if (entry != null) {
      assertThat(number).as("another message's content: %s", entry).isEqualTo(entry.number);
    }
    if (entry != null && entry.redelivered != null) {
      assertThat(redelivered).as("redelivered: %s", entry).isEqualTo(entry.redelivered);
      entry.redelivered = null;
    }
  }

  private long safeOf(Entry entry) {
    return shards.get(entry.shard).safe;
  }

  /** What a queue must have in its durable part: numbers by their sequence. */
  Map<Long, Integer> contents(long queueId) {
    TreeMap<Long, Integer> contents = new TreeMap<>();
    for (Entry entry : entries.values()) {
      if (entry.key.queueId == queueId && entry.settledAt == NEVER) {
        contents.put(entry.key.sequence, entry.number);
      }
    }
    return contents;
  }

  /**
   * Everything rests: no dead letter is on its way any more, and nothing has been lost.
   *
   * @param mayKeep whether something has failed since the start, so that what died may still be in
   *     the log, until the next one
   */
  void assertAtRest(boolean mayKeep) {
    entries
        .values()
        .forEach(
            entry ->
                assertThat(!mayKeep && entry.buried && entry.settledAt == NEVER)
                    .as("never arrived: %s", entry)
                    .isFalse());
    Set<Integer> there = new HashSet<>();
    entries.values().stream()
        .filter(entry -> entry.settledAt == NEVER)
        .forEach(entry -> there.add(entry.number));
    assertNothingLost(there);
  }

  private void assertNothingLost(Set<Integer> there) {
    Set<Integer> lost = new TreeSet<>(confirmed);
    lost.removeAll(ended);
    lost.removeAll(there);
    assertThat(lost).as("confirmed, and lost").isEmpty();
  }

  // What operators move

  /** Returns what the mark of a message says; null if it has none. */
  private static Mark mark(Message message) {
    if (!(message.headers().get(io.mayflymq.core.message.Moved.HEADER)
        instanceof FieldValue.Table mark)) {
      return null;
    }
    return new Mark(
        ((FieldValue.LongString) mark.table().get("queue")).string(),
        mark.table().get("sequence").longValue());
  }

  private Mark mark(Entry entry) {
    return new Mark(nameOf.apply(entry.key.queueId), entry.key.sequence);
  }

  /** Returns what has come out of an entry since it is there. */
  private List<Entry> cameOf(Entry entry) {
    return cameBy.getOrDefault(mark(entry), List.of()).stream()
        .filter(other -> other.number == entry.number && other.made > entry.made)
        .toList();
  }

  /**
   * An entry leaves its queue for good. If it was moved to another partition, it has to be there
   * safely, but if a client has had it since, or the disk over there does not work.
   *
   * @return whether it goes on elsewhere
   */
  private boolean goesOn(Entry entry) {
    List<Entry> others =
        cameOf(entry).stream()
            .filter(other -> other.made > entry.deliveredAfter && !shards.get(other.shard).failed)
            .toList();
    if (others.isEmpty()) {
      return false;
    }
    assertThat(others)
        .as("removed before what was moved was safe: %s", entry)
        .anyMatch(other -> other.storedAt <= safeOf(other));
    return true;
  }

  // After a crash

  private void compare() {
    recovering = false;
    found.forEach(
        (key, number) -> {
          assertThat(published).as("made up").contains(number);
          assertThat(entries).as("message %s is there as %s", number, key).containsKey(key);
        });
    for (Entry entry : entries.values()) {
      boolean there = found.containsKey(entry.key);
      if (there) {
        assertThat(found.get(entry.key)).as("%s", entry).isEqualTo(entry.number);
        assertThat(entry.settledAt).as("came back: %s", entry).isGreaterThan(safe[entry.shard]);
      } else if (!isKnown(entry.key)) {
        ended.add(entry.number);
      } else if (entry.settledAt == NEVER) {
        assertThat(entry.storedAt)
            .as("lost: %s, safe is %d", entry, safe[entry.shard])
            .isGreaterThan(safe[entry.shard]);
      }
    }
    moves.forEach(this::compare);
    Set<Integer> there = new HashSet<>(found.values());
    ended.removeAll(there);
    assertNothingLost(there);
    begin();
  }

  private boolean isKnown(Key key) {
    return known.contains(StoreIds.queueOf(key.queueId));
  }

  private void compare(Moved move) {
    boolean sourceIsThere = found.containsKey(move.source.key);
    for (Entry target : move.targets) {
      boolean targetIsThere = found.containsKey(target.key);
      assertThat(sourceIsThere && targetIsThere)
          .as("twice: %s and %s", move.source, target)
          .isFalse();
      boolean sourceWasSafe = move.source.storedAt <= safe[move.source.shard];
      if (sourceWasSafe
          && !sourceIsThere
          && isKnown(move.source.key)
          && isKnown(target.key)
          && target.settledAt == NEVER) {
        assertThat(targetIsThere).as("lost between %s and %s", move.source, target).isTrue();
      }
    }
  }

  private void begin() {
    TreeMap<Key, Entry> before = new TreeMap<>(entries);
    entries.clear();
    moves.clear();
    cameBy.clear();
    firstEntries.clear();
    for (Watched shard : shards) {
      shard.found.forEach(
          (key, number) -> {
            Entry entry = new Entry(key, shard.index, number);
            Entry old = before.get(key);
            entry.storedAt = 0;
            if (old.deliveredAt <= safe[old.shard]) {
              entry.deliveredAt = 0;
              entry.redelivered = true;
            } else if (highestDelivered.getOrDefault(key.queueId, -1L) < key.sequence) {
              entry.redelivered = false;
            }
            entries.put(key, entry);
            firstEntries.putIfAbsent(number, entry);
          });
    }
  }

  /** The store of a shard. */
  private final class Watched extends ForwardingPartitionStore {
    final int index;
    final TreeMap<Key, Integer> found = new TreeMap<>();
    private final Map<Long, WatchedQueue> queues = new HashMap<>();

    /** The dead whose dead letters are on the way to other shards, and when they left. */
    private final Map<Key, Sent> awaited = new HashMap<>();

    private long events;
    long safe;

    /** Whether something could not be made safe. */
    boolean failed;

    /** The move that was begun last. */
    private WatchedMove moving;

    Watched(PartitionStore store, int index) {
      super(store);
      this.index = index;
    }

    @Override
    public QueueStore open(long queueId, QueueName name, QueueStore.Kept kept) {
      if (StoreIds.isStops(queueId)) {
        return super.open(queueId, name, kept);
      }
      WatchedQueue queue = new WatchedQueue(super.open(queueId, name, kept), queueId, this);
      queues.put(queueId, queue);
      return queue;
    }

    @Override
    public Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside) {
      Recovered recovered = super.recover(shardsBefore, openBeside);
      queues.forEach(
          (id, watched) -> {
            known.add(id);
            watched.queue.forEachStored(
                (sequence, location, bodyLength, enqueuedAtMillis, paged) -> {
                  Message message = watched.read(location, paged);
                  assertThat(message.bodyLength()).isEqualTo(bodyLength);
                  Integer twice = found.put(new Key(id, sequence), TestBroker.numberOf(message));
                  assertThat(twice).isNull();
                });
          });
      StoreObserver.this.found.putAll(found);
      assertThat(recovered.messages()).as("counted").isEqualTo(found.size());
      return recovered;
    }

    @Override
    public void recoveredForGood() {
      super.recoveredForGood();
      if (recovering) {
        compare();
      }
    }

    @Override
    public void commit(Commit commit) {
      super.commit(observed(commit));
    }

    /** No program has streams. */
    @Override
    public void commitQueues(Commit commit) {
      super.commitQueues(observed(commit));
    }

    private Commit observed(Commit commit) {
      long upTo = events;
      return new Commit() {
        @Override
        public void safe() {
          safe = Math.max(safe, upTo);
          commit.safe();
        }

        @Override
        public void failed() {
          failed = true;
          commit.failed();
        }
      };
    }

    @Override
    public void await(UnsettledEntry entry) {
      awaited.put(
          new Key(entry.queueId(), entry.sequence()),
          new Sent(made, target.apply(entry.queueId())));
      super.await(entry);
    }

    @Override
    public void settle(UnsettledEntry dead) {
      Entry entry = entries.get(new Key(dead.queueId(), dead.sequence()));
      Sent sent = awaited.remove(entry.key);
      if (sent != null) {
        arrived(entry, sent);
      } else {
        ended.add(entry.number);
      }
      if (entry.settledAt == NEVER) {
        entry.settledAt = ++events;
      }
      super.settle(dead);
    }

    /**
     * A dead letter has arrived in the durable queues it was sent to, or has come to its end there.
     */
    private void arrived(Entry entry, Sent sent) {
      boolean any = false;
      boolean safely = false;
      boolean perhaps = false;
      for (Entry other : entries.values()) {
        if (other.number == entry.number
            && other.made > sent.made
            && leads.test(entry.key.queueId, other.key.queueId)) {
          boolean another = isOfAnother(other, entry) || isMoved(other);
          perhaps |= another;
          any |= !another;
          safely |= other.storedAt <= safeOf(other);
        }
      }
      assertThat(safely || !any).as("settled before its dead letter was safe: %s", entry).isTrue();
      if (!any) {
        assertThat(
                !perhaps
                    && sent.target != null
                    && sent.target.equals(target.apply(entry.key.queueId)))
            .as("settled before its dead letter arrived: %s", entry)
            .isFalse();
        ended.add(entry.number);
      }
    }

    /** Whether an operator has moved it there. */
    private boolean isMoved(Entry other) {
      return cameBy.values().stream().anyMatch(came -> came.contains(other));
    }

    /**
     * After a crash a message may be in two queues: whether this may be the other one's dead
     * letter.
     */
    private boolean isOfAnother(Entry deadLetter, Entry entry) {
      return entries.values().stream()
          .anyMatch(
              source ->
                  source != entry
                      && source.number == entry.number
                      && source.buried
                      && leads.test(source.key.queueId, deadLetter.key.queueId));
    }

    @Override
    public Move move(UnsettledEntry source, Message message) {
      Entry entry = entries.get(new Key(source.queueId(), source.sequence()));
      Move move = super.move(source, message);
      boolean byOperator = mark(entry).equals(mark(message));
      moving = new WatchedMove(move, this, entry, TestBroker.numberOf(message), byOperator);
      return moving;
    }
  }

  /** A message that leaves an entry of a shard for others. */
  private final class WatchedMove extends ForwardingMove {
    private final Watched shard;
    private final Entry source;
    private final int number;
    private final boolean byOperator;
    private final List<Entry> targets = new ArrayList<>();

    WatchedMove(Move move, Watched shard, Entry source, int number, boolean byOperator) {
      super(move);
      this.shard = shard;
      this.source = source;
      this.number = number;
      this.byOperator = byOperator;
    }

    @Override
    public void add(long queueId, long sequence, long deadlineMillis) {
      Entry entry = new Entry(new Key(queueId, sequence), shard.index, number);
      targets.add(entry);
      entries.put(entry.key, entry);
      super.add(queueId, sequence, deadlineMillis);
    }

    /** What has just entered has left, and can be brought back. */
    void replace(Entry entered, Entry removed) {
      targets.set(targets.indexOf(entered), removed);
    }

    @Override
    public void write(long nowMillis, boolean keepSource) {
      long at = ++shard.events;
      targets.forEach(entered -> entered.storedAt = at);
      if (!keepSource) {
        source.settledAt = at;
        if (targets.isEmpty()) {
          assertThat(
                  byOperator
                          || StoreIds.isBeside(source.key.queueId)
                          || deleted.test(source.key.queueId)
                      ? null
                      : target.apply(source.key.queueId))
              .as("no queue has the dead letter of %s", source)
              .isNull();
          ended.add(source.number);
        }
        moves.add(new Moved(source, targets, at));
      }
      super.write(nowMillis, keepSource);
    }
  }

  /** The store of a queue. */
  private final class WatchedQueue extends ForwardingQueueStore {
    private final long id;
    private final Watched shard;
    private RecoverableQueue queue;

    WatchedQueue(QueueStore store, long id, Watched shard) {
      super(store);
      this.id = id;
      this.shard = shard;
    }

    @Override
    public void attach(RecoverableQueue attached) {
      queue = attached;
      super.attach(attached);
    }

    @Override
    public long store(
        long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
      int number = TestBroker.numberOf(message);
      Entry entry = new Entry(new Key(id, sequence), shard.index, number);
      entry.storedAt = ++shard.events;
      firstEntries.putIfAbsent(number, entry);
      entries.put(entry.key, entry);
      Mark mark = mark(message);
      if (mark != null) {
        cameBy.computeIfAbsent(mark, first -> new ArrayList<>()).add(entry);
      }
      return super.store(sequence, message, ownDeadlineMillis, enqueuedAtMillis);
    }

    @Override
    public void delivered(long sequence) {
      Entry entry = entries.get(new Key(id, sequence));
      entry.deliveredAt = ++shard.events;
      entry.deliveredAfter = made;
      highestDelivered.merge(id, sequence, Math::max);
      super.delivered(sequence);
    }

    @Override
    public void settle(long sequence, long location, int bodyLength) {
      Entry entry = entries.get(new Key(id, sequence));
      assertThat(entry.settledAt).as("settled twice: %s", entry).isEqualTo(NEVER);
      entry.settledAt = ++shard.events;
      if (!goesOn(entry)) {
        ended.add(entry.number);
      }
      super.settle(sequence, location, bodyLength);
    }

    @Override
    public void removed(long sequence, long location, long stamp) {
      Entry entry = entries.get(new Key(id, sequence));
      Entry kept = new Entry(new Key(StoreIds.ofRemoved(id), sequence), shard.index, entry.number);
      if (location == NOWHERE) {
        entries.remove(entry.key);
        shard.moving.replace(entry, kept);
      } else {
        assertThat(entry.settledAt).as("settled before: %s", entry).isEqualTo(NEVER);
        kept.storedAt = ++shard.events;
        entry.settledAt = kept.storedAt;
        moves.add(new Moved(entry, List.of(kept), kept.storedAt));
      }
      entries.put(kept.key, kept);
      super.removed(sequence, location, stamp);
    }

    @Override
    public UnsettledEntry detach(long sequence, long location, int bodyLength) {
      entries.get(new Key(id, sequence)).buried = true;
      return super.detach(sequence, location, bodyLength);
    }

    @Override
    public void forget() {
      shard.events++;
      for (Entry entry : entries.values()) {
        if (entry.key.queueId == id && entry.settledAt == NEVER && !entry.buried) {
          entry.settledAt = shard.events;
          ended.add(entry.number);
        }
      }
      super.forget();
    }
  }
}
