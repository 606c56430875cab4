package io.mayflymq.core.queue;

/** A message and its fate. */
final class NaiveEntry {
  final int number;
  final int size;
  final boolean persistent;
  final long ownDeadline;

  /** As published; -1 for none. */
  final int priority;

  /** As published; -1 for none. */
  final long ttl;

  /** That of its header, whether it counts or not. */
  long headerDeadline = NaiveQueue.NEVER;

  /** What its headers tell of its share. */
  QueueCommand.Tenant tenant = QueueCommand.Tenant.NONE;

  /** Where it stands among those that have come. */
  int place;

  /** How often it came back, where the queue counts that. */
  int returns;

  int failures;

  /** When it came back to a queue that serves such messages first: the how many-th time. */
  long ticket = NaiveQueue.NEVER;

  final long arrival;

  /** From when on its TTL counts: its arrival, later by what stood still since. */
  long from;

  /** Whether its deadline without the TTL of the queue is a moment that stays what it is. */
  boolean absolute;

  /** Its deadline without the TTL of the queue. */
  long kept;

  long deadline;
  boolean redelivered;

  /** Who has it and has not settled it; null while it is ready. */
  Subscriber holder;

  /** When its wait for another delivery ends; 0 if it does not wait. */
  long waitsUntil;

  /** Whether it was seen that its deadline may come before that. */
  boolean watched;

  NaiveEntry(
      int number,
      int size,
      boolean persistent,
      int priority,
      long ttl,
      long arrival,
      long kept,
      long ownDeadline) {
    this.arrival = arrival;
    this.from = arrival;
    this.kept = kept;
    this.number = number;
    this.size = size;
    this.priority = priority;
    this.ttl = ttl;
    this.persistent = persistent;
    this.ownDeadline = ownDeadline;
  }

  boolean isReady() {
    return holder == null && waitsUntil == 0;
  }

  boolean isWaiting() {
    return waitsUntil != 0;
  }
}
