package io.mayflymq.core.message;

import java.util.Locale;

/** What happened to a dead message. */
public enum DropOutcome {
  /** It was routed to at least one queue. */
  DEAD_LETTERED,
  /** It waits in its queue's log until a queue accepts it, behind others that wait. */
  WAITING,
  /** Dropped: all queues that it was routed to refused it, and it may not wait. */
  REFUSED,
  /** Dropped: its queue has no dead letter exchange. */
  NO_EXCHANGE,
  /** Dropped: its queue does not dead-letter messages that die for this reason. */
  REASON_EXCLUDED,
  /** Dropped: there is no exchange of that name. */
  EXCHANGE_MISSING,
  /** Dropped: the dead letter exchange routes it nowhere. */
  UNROUTABLE,
  /**
   * Dropped: it has been in all queues that it would be routed to, and no consumer rejected it
   * since; or it would be one of too many copies that dead-lettering has made of one message.
   */
  CYCLE,
  /** Dropped: it is damaged on the disk. */
  UNREADABLE;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** Returns its name in output, such as {@code dead_lettered}. */
  public String wireName() {
    return wireName;
  }
}
