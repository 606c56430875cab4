package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.LinkBatches;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.protocol.types.ShortString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * A log with an owner that keeps its queues in the simplest way, and a listener that takes notes.
 */
public final class LogRig implements ReplicaQueues, LogOwner, LogListener {
  static final LogIdentity IDENTITY = new LogIdentity(new UUID(1, 2), "shard-3");

  /** A message of a queue. */
  public record QueueKey(long queueId, long sequence) implements Comparable<QueueKey> {
    @Override
    public int compareTo(QueueKey other) {
      int order = Long.compare(queueId, other.queueId);
      return order != 0 ? order : Long.compare(sequence, other.sequence);
    }
  }

  /** What the owner knows of it. */
  public record Stored(
      long location, int bodyLength, long deadline, int flags, long at, int priority) {
    Stored stamped(long stamp) {
      return new Stored(location, bodyLength, stamp, flags, at, priority);
    }

    Stored anywhere() {
      return new Stored(0, bodyLength, deadline, flags, at, priority);
    }
  }

  /** How often it has come back, and until when it waits. */
  record Back(int returns, long untilMillis) {}

  public final MemoryDirectory directory;
  public final ManualExecutor executor;
  public final SegmentLog log;
  public final RecoveryReport report;
  public final TreeMap<QueueKey, Stored> entries = new TreeMap<>();
  final TreeMap<Long, Long> delivered = new TreeMap<>();
  final TreeMap<Long, TreeMap<Long, Back>> returned = new TreeMap<>();
  public final AppliedBatches batches = new AppliedBatches(this::beginBurst);
  final List<String> events = new ArrayList<>();

  /** The sequence number of metadata for the log. */
  long metadata = 1;

  /** Whether the log is told longer names of queues than those of {@link #nameOf}. */
  boolean longNames;

  private final TreeMap<Long, Integer> namedIn = new TreeMap<>();

  public LogRig(MemoryDirectory directory, LogOptions options) {
    this(directory, directory, options, new ManualExecutor(), null, Recovery.ALL);
  }

  /** A log of which only the bursts up to one remain. */
  public LogRig(MemoryDirectory directory, LogOptions options, long upTo) {
    this(directory, directory, options, new ManualExecutor(), null, upTo);
  }

  private LogRig(
      MemoryDirectory directory,
      LogDirectory files,
      LogOptions options,
      ManualExecutor manual,
      Executor executor,
      long upTo) {
    this.directory = directory;
    this.executor = manual;
    this.log = new SegmentLog(files, options, executor == null ? manual : executor, this);
    try {
      this.report = log.recover(this, this, upTo);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public LogRig() {
    this(new MemoryDirectory(), options(Sync.ALWAYS));
  }

  /** A log on a disk and on threads of its own, not on those of the rig. */
  static LogRig on(LogDirectory files, LogOptions options, Executor threads) {
    return new LogRig(null, files, options, null, threads, Recovery.ALL);
  }

  public static LogOptions options(Sync sync) {
    return new LogOptions(3, 4096, 1024, sync).of(IDENTITY);
  }

  // The owner's work

  public void enqueue(long queueId, long sequence, Message message) {
    long location = log.enqueue(queueId, 0, sequence, Long.MAX_VALUE, 7, 1000, message);
    put(queueId, sequence, location, message);
  }

  void put(long queueId, long sequence, long location, Message message) {
    entries.put(
        new QueueKey(queueId, sequence),
        new Stored(location, message.bodyLength(), Long.MAX_VALUE, 7, 1000, message.ownPriority()));
  }

  @Override
  public QueueNote noteOf(long queueId, int segment) {
    Integer before = namedIn.put(queueId, segment);
    return before != null && before == segment
        ? null
        : new QueueNote(
            longNames ? new QueueName("v".repeat(100), "n".repeat(100)) : nameOf(queueId),
            metadata);
  }

  static QueueName nameOf(long queueId) {
    return new QueueName("host", "queue " + queueId);
  }

  /** Whether a segment's own records say what a queue is called. */
  static boolean tellsName(MemoryDirectory files, int segment, long queueId) {
    String name = SegmentNames.log(segment);
    try (LogFile file = files.open(name, false)) {
      Segment opened = new Segment(SegmentHeader.read(file, name).header());
      SegmentScanner scanner = new SegmentScanner(file, opened, SegmentScanner.window());
      RecordHeader head = new RecordHeader();
      boolean tells = false;
      while (scanner.next(head)) {
        tells |=
            head.type == RecordType.QUEUE
                && head.namedQueue == queueId
                && nameOf(queueId).equals(QueueName.decode(head.queueName));
      }
      return tells;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void settle(long queueId, long sequence) {
    Stored entry = entries.remove(new QueueKey(queueId, sequence));
    log.settle(queueId, sequence, entry.location, entry.bodyLength);
  }

  /** A message leaves a queue and enters another. */
  void move(QueueKey from, QueueKey to, Message message) {
    Stored old = entries.remove(from);
    RecordTargets targets = new RecordTargets();
    targets.add(to.queueId, to.sequence, Long.MAX_VALUE, 7);
    long location =
        log.move(from.queueId, from.sequence, old.location, old.bodyLength, targets, 1000, message);
    put(to.queueId, to.sequence, location, message);
  }

  /** A message leaves its queue, and can be brought back. Returns where it is then. */
  QueueKey remove(QueueKey key, long stamp) {
    Stored entry = entries.remove(key);
    log.removed(key.queueId, key.sequence, entry.location, stamp);
    QueueKey removed = new QueueKey(StoreIds.ofRemoved(key.queueId), key.sequence);
    entries.put(removed, entry.stamped(stamp));
    return removed;
  }

  /** A queue is forgotten, with what has been removed from it. */
  void forget(long queueId) {
    forgetOne(queueId);
    forgetOne(StoreIds.ofRemoved(queueId));
  }

  private void forgetOne(long queueId) {
    var queue = entries.subMap(new QueueKey(queueId, 0), new QueueKey(queueId + 1, 0));
    log.forget(
        queueId,
        sink -> queue.values().forEach(entry -> sink.accept(entry.location, entry.bodyLength)));
    queue.clear();
  }

  public Message read(long queueId, long sequence) {
    return log.read(entries.get(new QueueKey(queueId, sequence)).location);
  }

  /** Messages pass through a queue until the segments are gone that there were before. */
  public void comeAndGo(long queueId, int from) {
    for (int i = from; i < from + 300; i++) {
      enqueue(queueId, i, message(i, 100));
      settle(queueId, i);
      if (i % 20 == 0) {
        safe();
      }
    }
    safe();
    safe();
  }

  void commit(String name) {
    commit(() -> events.add(name), () -> events.add(name + " failed"));
  }

  void commit(Runnable safe, Runnable failed) {
    log.commit(
        new Commit() {
          @Override
          public void safe() {
            safe.run();
          }

          @Override
          public void failed() {
            failed.run();
          }
        });
  }

  void deliver(long queueId, long upTo) {
    delivered.merge(queueId, upTo, Math::max);
    log.delivered(queueId, upTo);
  }

  /** Messages of a queue came back: its owner knows the last number of times, and says so. */
  void comeBack(long queueId, long sequence, int returns, long untilMillis) {
    returned
        .computeIfAbsent(queueId, id -> new TreeMap<>())
        .put(sequence, new Back(returns, untilMillis));
    RedeliveryNotes notes = new RedeliveryNotes();
    notes.add(sequence, DeliveryCount.of(returns, returns), untilMillis);
    log.returned(queueId, notes.take(), false);
  }

  private void beginBurst() {
    log.beginBurst();
  }

  /**
   * A batch is applied: the next one of a link, or one behind it.
   *
   * @param gap how many numbers are left out
   */
  void apply(BatchOrigin origin, int gap, byte[] outcome) {
    LinkBatches link = batches.of(origin);
    long number = 1L + gap;
    while (link.isApplied(number)) {
      number++;
    }
    link.applied(number, outcome);
  }

  public void safe() {
    commit("safe");
    executor.runAll();
  }

  /** Compacts as long as there is need, as far as deletions go through. */
  void compact() {
    boolean more = true;
    while (more) {
      more = log.compact(500);
      executor.runAll();
    }
    log.flush();
    executor.runAll();
    log.flush();
  }

  public void close() {
    log.close();
    executor.runAll();
  }

  public LogRig reopen(LogOptions options) {
    return new LogRig(directory.afterKill(), options);
  }

  public LogRig reopen() {
    return reopen(options(Sync.ALWAYS));
  }

  public static Message message(int number, int bodyLength) {
    byte[] content = new byte[2 + bodyLength];
    for (int i = 0; i < bodyLength; i++) {
      content[2 + i] = (byte) (number * 31 + i);
    }
    ShortString key = ShortString.of("key" + number % 3);
    return new Message(
        ShortString.of("ex"), key, content, 2, Message.NO_TTL, number % 10, true, List.of());
  }

  // What the log tells

  @Override
  public void enqueued(
      long queueId,
      long sequence,
      long deadlineMillis,
      int flags,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    Stored old =
        entries.put(
            new QueueKey(queueId, sequence),
            new Stored(location, bodyLength, deadlineMillis, flags, enqueuedAtMillis, priority));
    if (old != null) {
      throw new AssertionError("queue " + queueId + " has " + sequence + " twice");
    }
  }

  @Override
  public void settled(long queueId, long from, long to, int segment) {
    var range = entries.subMap(new QueueKey(queueId, from), true, new QueueKey(queueId, to), true);
    range
        .values()
        .removeIf(
            entry -> {
              boolean meant = Location.segment(entry.location) == segment;
              if (meant) {
                log.release(entry.location, entry.bodyLength);
              }
              return meant;
            });
  }

  @Override
  public void replaced(long queueId, long sequence) {
    Stored former = entries.remove(new QueueKey(queueId, sequence));
    if (former != null) {
      log.release(former.location, former.bodyLength);
    }
  }

  @Override
  public void removed(long queueId, long from, long to, int segment, long stamp) {
    for (long sequence = from; sequence <= to; sequence++) {
      QueueKey key = new QueueKey(queueId, sequence);
      Stored entry = entries.get(key);
      if (entry != null && Location.segment(entry.location) == segment) {
        entries.remove(key);
        replaced(StoreIds.ofRemoved(queueId), sequence);
        entries.put(new QueueKey(StoreIds.ofRemoved(queueId), sequence), entry.stamped(stamp));
      }
    }
  }

  @Override
  public void remove(long queueId, long from, long to, long stamp, TakenSink sink) {
    var range = entries.subMap(new QueueKey(queueId, from), true, new QueueKey(queueId, to), true);
    TreeMap<QueueKey, Stored> taken = new TreeMap<>(range);
    range.clear();
    taken.forEach(
        (key, entry) -> {
          replaced(StoreIds.ofRemoved(queueId), key.sequence);
          entries.put(
              new QueueKey(StoreIds.ofRemoved(queueId), key.sequence), entry.stamped(stamp));
          sink.accept(key.sequence, entry.location, entry.bodyLength);
        });
  }

  @Override
  public long removalOf(long queueId, long sequence, long location) {
    Stored entry = entries.get(new QueueKey(StoreIds.ofRemoved(queueId), sequence));
    return entry != null && entry.location == location ? entry.deadline : NOT_REMOVED;
  }

  @Override
  public void take(long queueId, long from, long to, TakenSink sink) {
    var range = entries.subMap(new QueueKey(queueId, from), true, new QueueKey(queueId, to), true);
    TreeMap<QueueKey, Stored> taken = new TreeMap<>(range);
    range.clear();
    taken.forEach((key, entry) -> sink.accept(key.sequence, entry.location, entry.bodyLength));
  }

  @Override
  public void delivered(long queueId, long upTo) {
    delivered.merge(queueId, upTo, Math::max);
  }

  @Override
  public void returned(long queueId, byte[] notes, boolean all) {
    TreeMap<Long, Back> known = returned.computeIfAbsent(queueId, id -> new TreeMap<>());
    if (all) {
      known.clear();
    }
    RedeliveryNotes.forEach(
        notes,
        (sequence, returns, until) ->
            known.put(sequence, new Back(DeliveryCount.acquired(returns), until)));
  }

  @Override
  public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {
    batches.recovered(origin, number, unknownUpTo, outcome);
  }

  @Override
  public void forEachApplied(AppliedBatches.Sink sink) {
    batches.forEach(sink);
  }

  @Override
  public void forEachReturned(int mostBytes, ReturnedSink sink) {
    returned.forEach(
        (queueId, known) -> {
          RedeliveryNotes notes = new RedeliveryNotes();
          known.forEach(
              (sequence, back) ->
                  notes.add(
                      sequence, DeliveryCount.of(back.returns, back.returns), back.untilMillis));
          sink.accept(queueId, notes.take());
        });
  }

  @Override
  public void forEachDelivered(DeliveredSink sink) {
    delivered.forEach(sink::accept);
  }

  @Override
  public boolean isLive(long queueId, long sequence, long location) {
    Stored entry = entries.get(new QueueKey(queueId, sequence));
    return entry != null && entry.location == location;
  }

  @Override
  public void moved(long queueId, long sequence, long from, long to) {
    entries.computeIfPresent(
        new QueueKey(queueId, sequence),
        (key, old) -> {
          if (old.location != from) {
            throw new AssertionError("moved from elsewhere");
          }
          return new Stored(to, old.bodyLength, old.deadline, old.flags, old.at, old.priority);
        });
  }

  @Override
  public void blocked(IOException cause) {
    events.add("blocked: " + cause.getMessage());
  }

  @Override
  public void unblocked(String why) {
    events.add("unblocked: " + why);
  }

  @Override
  public void failed(LogFailedException cause) {
    events.add("failed: " + cause.getCause().getMessage());
  }
}
