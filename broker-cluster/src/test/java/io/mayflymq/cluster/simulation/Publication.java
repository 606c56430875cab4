package io.mayflymq.cluster.simulation;

import java.util.List;

/** A message that a client has published, and what it was told of it. */
final class Publication {
  final int number;
  final SimulatedClient by;
  final boolean persistent;
  final long ttlMillis;
  final List<Copy> copies;

  /** How long it is to wait in its queue, in ms; 0 for not at all. */
  final long delayMillis;

  /** The time since the beginning when it was published. */
  final long publishedAt;

  private int awaited;
  private boolean anyFailed;
  private boolean anyLost;

  Publication(
      int number,
      SimulatedClient by,
      boolean persistent,
      long ttlMillis,
      long delayMillis,
      boolean confirmed,
      List<KnownQueue> queues) {
    this.number = number;
    this.by = by;
    this.persistent = persistent;
    this.ttlMillis = ttlMillis;
    this.delayMillis = delayMillis;
    this.publishedAt = by.process().cluster().elapsedMillis();
    this.copies = queues.stream().map(queue -> new Copy(this, queue)).toList();
    this.awaited = confirmed ? copies.size() : -1;
  }

  /** What is in one of its queues. */
  static final class Copy {
    final Publication of;
    final KnownQueue queue;

    /** How many processes its queue's node had had when it was published. */
    final int incarnation;

    /** The number that a replicated queue has given it; -1 as long as none is known. */
    long sequence = -1;

    /** What came of it last; null if no client has seen it. */
    private Delivery last;

    /** The latest time on the clock of its queue's node at which it may leave; once confirmed. */
    private long deadline = Long.MAX_VALUE;

    private Copy(Publication of, KnownQueue queue) {
      this.of = of;
      this.queue = queue;
      this.incarnation = queue.isReplicated() ? 0 : queue.home.incarnation();
    }

    Delivery last() {
      return last;
    }

    void setLast(Delivery delivery) {
      last = delivery;
    }

    /** Returns whether it may have died, as far as clients know. */
    boolean mayHaveDied() {
      return of.ttlMillis >= 0
          || queue.limits(of.number)
          || (last != null && last.state() == Delivery.State.REJECTED);
    }

    /** Returns whether it may become unknown what became of it. */
    boolean mayFail() {
      return !queue.isReplicated()
          || queue.mayBeGone()
          || of.by.ledger().mayBeUnknown(queue, of.number);
    }

    long deadline() {
      return deadline;
    }

    private void confirmed() {
      long ttl = queue.settings().expiry().messageTtlMillis();
      long shortest = of.ttlMillis >= 0 && (ttl < 0 || of.ttlMillis < ttl) ? of.ttlMillis : ttl;
      if (shortest >= 0 && of.delayMillis == 0 && !queue.isReplicated()) {
        deadline = queue.home.latestMillis() + shortest;
      }
    }

    @Override
    public String toString() {
      return "%s message %d of node %d in %s, last %s"
          .formatted(
              of.persistent ? "persistent" : "transient",
              of.number,
              of.by.process().node().number(),
              queue,
              last);
    }
  }

  /** One of its queues has told what became of it. */
  void outcome(boolean accepted, boolean lost) {
    SimulatedCluster cluster = by.process().cluster();
    cluster.trace().outcome(number, accepted, lost);
    cluster.leaders().told();
    if (awaited <= 0) {
      throw new AssertionError("one outcome too many for message " + number);
    }
    awaited--;
    anyFailed |= !accepted;
    anyLost |= lost;
    if (lost && copies.stream().noneMatch(copy -> copy.mayFail())) {
      throw new AssertionError("message " + number + " of replicated queues was failed");
    }
    if (awaited == 0 && !anyFailed) {
      copies.forEach(Copy::confirmed);
    }
  }

  /** Returns whether an outcome is still to come. */
  boolean isAwaited() {
    return awaited > 0;
  }

  /** Returns whether all of its queues have taken it. */
  boolean isConfirmed() {
    return awaited == 0 && !anyFailed;
  }

  /** Returns whether all that is known is in order: a queue may get what was lost later. */
  boolean keepsOrder() {
    return awaited >= 0 && !anyLost && delayMillis == 0;
  }
}
