package io.mayflymq.core.queue.index;

/**
 * The order in which the messages of a queue that have a deadline of their own fall due, at any
 * position in the queue.
 *
 * <p>Most deadlines come in queue order, since programs usually give all their messages the same
 * TTL. For those no index is needed; it is enough to remember which ranges ("runs") of sequence
 * numbers are in order, and to look at the first ready message of the first run. Only a message
 * that would be stuck behind a later deadline goes into the LongPairHeap (the index), a heap of
 * (deadline, sequence) pairs.
 *
 * <pre>{@code
 * sequence   0    1    2    3    4    5    6     7 ...
 * deadline  100  110   -   120   90  130   95  140
 *           |------------ run ---------------------|    4 and 6 are in the index, 2 has no deadline: the run skips them
 * }</pre>
 *
 * <p>A run may contain gaps of a few such messages; after more than MAX_GAP of them a new run
 * begins, so that skipping a gap takes bounded work.
 *
 * <p>The front of the first run only moves forward, past the messages that were taken. A message
 * that is requeued behind the front is put into the index. One that is requeued inside a run is
 * found again without the index, but only if it was in order when it was appended. This has to be
 * remembered, because a run also spans messages that were stuck, and those that were delivered
 * directly and so never had a place in the order.
 *
 * <p>A message may leave and come again under its number. The index may then have an entry of both
 * times; only the one with its present deadline counts.
 */
final class ExpiryOrder {
  private static final int MAX_GAP = 64;

  /**
   * What the order needs to know about the queue's messages. Sequence numbers ascend in queue
   * order.
   */
  public interface Messages {
    /** The first ready message whose sequence number is at least this, or -1. */
    long firstReadyFrom(long sequence);

    /** Whether a message is in the queue, ready or unacknowledged. */
    boolean contains(long sequence);

    /** Whether it is ready. */
    boolean isReady(long sequence);

    /** Its deadline, or {@link Deadlines#NEVER}. */
    long deadline(long sequence);

    /** Whether it was marked as being in the index. */
    boolean isIndexed(long sequence);

    /**
     * Whether no run covers its deadline: it was marked as being in the index before, or was added
     * without {@link #appended}.
     */
    boolean isOutOfOrder(long sequence);

    /**
     * Marks it as being in the index, and therefore as out of order for good; or no longer as in
     * the index.
     */
    void setIndexed(long sequence, boolean indexed);
  }

  private final Messages messages;
  private final LongPairHeap index;
  private final RangeDeque runs = new RangeDeque();
  private long lastInOrder = Long.MIN_VALUE;

  /** Creates the order of an empty queue. */
  public ExpiryOrder(Messages messages) {
    this.messages = messages;
    this.index =
        new LongPairHeap(sequence -> messages.contains(sequence) && messages.isIndexed(sequence));
  }

  /** Called when a message with a deadline was appended to the queue. */
  public void appended(long sequence, long deadline) {
    if (runs.isEmpty() || deadline >= lastInOrder) {
      lastInOrder = deadline;
      if (!runs.isEmpty() && sequence - runs.lastTo() <= MAX_GAP) {
        runs.extendLast(sequence);
      } else {
        runs.add(sequence);
      }
    } else {
      addToIndex(sequence, deadline);
    }
  }

  /** Called when a message with a deadline is ready again, at its old place. */
  public void requeued(long sequence, long deadline) {
    if (!messages.isIndexed(sequence)
        && (messages.isOutOfOrder(sequence) || !runs.contains(sequence))) {
      addToIndex(sequence, deadline);
    }
  }

  /** Called when a message that was marked as indexed has left the queue. */
  public void discarded() {
    index.discarded();
  }

  /**
   * Called when all ready messages were removed at once, and no other message is marked as indexed.
   */
  public void cleared() {
    runs.clear();
    index.clear();
  }

  /**
   * Returns the ready message that falls due first, the one nearer to the head if two have the same
   * deadline; -1 if none has a deadline.
   *
   * <p>Amortised constant time for deadlines in order, logarithmic for others.
   */
  public long earliest() {
    long inOrder = firstOfRuns();
    long outOfOrder = firstOfIndex();
    if (inOrder < 0 || outOfOrder < 0) {
      return Math.max(inOrder, outOfOrder);
    }
    long a = messages.deadline(inOrder);
    long b = messages.deadline(outOfOrder);
    if (a == b) {
      return Math.min(inOrder, outOfOrder);
    }
    return a < b ? inOrder : outOfOrder;
  }

  private long firstOfRuns() {
    while (!runs.isEmpty()) {
      long sequence = messages.firstReadyFrom(runs.firstFrom());
      while (sequence >= 0 && sequence <= runs.firstTo() && !isInOrder(sequence)) {
        sequence = messages.firstReadyFrom(sequence + 1);
      }
      if (sequence >= 0 && sequence <= runs.firstTo()) {
        runs.advanceFirst(sequence);
        return sequence;
      }
      runs.removeFirst();
    }
    return -1;
  }

  private boolean isInOrder(long sequence) {
    return messages.deadline(sequence) != Deadlines.NEVER && !messages.isOutOfOrder(sequence);
  }

  private long firstOfIndex() {
    while (!index.isEmpty()) {
      long sequence = index.peekSequence();
      boolean isOfOtherTime =
          messages.contains(sequence) && messages.deadline(sequence) != index.peekDeadline();
      if (!isOfOtherTime && messages.isReady(sequence) && messages.isIndexed(sequence)) {
        return sequence;
      }
      index.poll();
      if (!isOfOtherTime && messages.contains(sequence)) {
        // Unacknowledged: it does not expire now, and is indexed again if it is requeued.
        messages.setIndexed(sequence, false);
      }
    }
    return -1;
  }

  private void addToIndex(long sequence, long deadline) {
    index.add(deadline, sequence);
    messages.setIndexed(sequence, true);
  }
}
