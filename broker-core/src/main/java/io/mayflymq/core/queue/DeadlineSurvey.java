package io.mayflymq.core.queue;

import io.mayflymq.core.queue.DeadlineReport.Bucket;
import io.mayflymq.core.queue.DeadlineReport.Next;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueMessages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Counts the ready messages of a queue by deadline and by age, in slices, from the index alone: no
 * content is read. Messages that arrive or leave between two slices may be counted or not. Belongs
 * to the queue's shard.
 */
public final class DeadlineSurvey {
  /** How many messages a slice counts: a fraction of a millisecond. */
  static final int SLICE = 4_096;

  private static final long SECOND = 1_000;
  private static final long MINUTE = 60 * SECOND;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final long[] LIMITS = {
    0, SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, Long.MAX_VALUE
  };

  private final QueueMessages messages;
  private final long nowMillis;
  private final long mostMessages;
  private final int mostNext;
  private final long[] toDeadline = new long[LIMITS.length];
  private final long[] ages = new long[LIMITS.length];

  /** Those that expire first, the last of them at the head. */
  private final PriorityQueue<Next> next =
      new PriorityQueue<>(Comparator.comparingLong(Next::deadlineMillis).reversed());

  private long counted;
  private long withoutDeadline;
  private long sequence = -1;
  private boolean complete;

  /**
   * Starts to count.
   *
   * @param mostMessages how many messages are counted at most
   * @param mostNext how many of those that expire first are reported
   */
  public DeadlineSurvey(QueueMessages messages, long nowMillis, long mostMessages, int mostNext) {
    this.messages = messages;
    this.nowMillis = nowMillis;
    this.mostMessages = mostMessages;
    this.mostNext = mostNext;
  }

  /** Counts a slice; returns whether there is more to count. */
  public boolean step() {
    long end = Math.min(mostMessages, counted + SLICE);
    while (counted < end) {
      sequence = messages.index().nextReady(sequence);
      if (sequence < 0) {
        complete = true;
        return false;
      }
      count();
    }
    if (counted < mostMessages) {
      return true;
    }
    complete = messages.index().nextReady(sequence) < 0;
    return false;
  }

  private void count() {
    long enqueuedAt = messages.index().enqueuedAt(sequence);
    long deadline = messages.deadlines().shown(sequence, nowMillis);
    ages[bucket(nowMillis - enqueuedAt)]++;
    if (deadline == Deadlines.NEVER) {
      withoutDeadline++;
    } else {
      toDeadline[bucket(deadline - nowMillis)]++;
      note(enqueuedAt, deadline);
    }
    counted++;
  }

  private void note(long enqueuedAt, long deadline) {
    boolean room = next.size() < mostNext;
    if (mostNext > 0 && (room || deadline < next.peek().deadlineMillis())) {
      boolean own = messages.deadlines().isOwn(sequence);
      next.add(new Next(sequence, counted, deadline, enqueuedAt, own));
      if (next.size() > mostNext) {
        next.poll();
      }
    }
  }

  private static int bucket(long millis) {
    int bucket = 0;
    while (millis > LIMITS[bucket]) {
      bucket++;
    }
    return bucket;
  }

  /** Returns what has been counted. */
  public DeadlineReport report() {
    return new DeadlineReport(
        nowMillis,
        counted,
        withoutDeadline,
        buckets(toDeadline),
        buckets(ages),
        next.stream()
            .sorted(Comparator.comparingLong(Next::deadlineMillis).thenComparing(Next::sequence))
            .toList(),
        complete);
  }

  private static List<Bucket> buckets(long[] counts) {
    List<Bucket> buckets = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      buckets.add(new Bucket(LIMITS[i], counts[i]));
    }
    return buckets;
  }
}
