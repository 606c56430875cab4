package io.mayflymq.core.message;

import java.util.Locale;

/** What became of a message that died. */
public enum DropOutcome {
  /** It went to one queue at least. */
  DEAD_LETTERED,
  /** It waits in its queue's log until a queue takes it, as others do before it. */
  WAITING,
  /** Dropped: it went to queues that all refused it, and it may not wait. */
  REFUSED,
  /** Dropped: its queue has no dead letter exchange. */
  NO_EXCHANGE,
  /** Dropped: its queue dead-letters no message that died so. */
  REASON_EXCLUDED,
  /** Dropped: there is no exchange of that name. */
  EXCHANGE_MISSING,
  /** Dropped: the dead letter exchange routes it nowhere. */
  UNROUTABLE,
  /** Dropped: wherever it would go it has been, and no consumer rejected it since. */
  CYCLE,
  /** Dropped: it is damaged on the disk. */
  UNREADABLE;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** Its name where people see it, such as {@code dead_lettered}. */
  public String wireName() {
    return wireName;
  }
}
