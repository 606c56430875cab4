package io.mayflymq.core.vhost.deadletter;

import java.util.Locale;
import java.util.Map;

/**
 * How far a redrive has come.
 *
 * @param state whether it goes on
 * @param reason what it waits for or failed of; else null
 * @param startedAtMillis when it began, in ms since the epoch
 * @param endedAtMillis when it ended, in ms since the epoch; 0 as long as it goes on
 * @param moved how many messages have left the queue, or would
 * @param movedTo the same by the queue that they went to; one may have gone to several
 * @param skipped how many stayed where they were, by why
 */
public record RedriveReport(
    State state,
    String reason,
    long startedAtMillis,
    long endedAtMillis,
    long moved,
    Map<String, Long> movedTo,
    Map<Skipped, Long> skipped) {

  /** Whether a redrive goes on. */
  public enum State {
    /** It does. */
    RUNNING,
    /** It does when there is no alarm any more, or the disk is less behind. */
    PAUSED,
    /** All messages that were there have been looked at, and what was moved is safe. */
    DONE,
    /** It was stopped by an administrator. */
    STOPPED,
    /** It cannot go on. */
    FAILED;

    /** Whether it is over. */
    public boolean isEnd() {
      return this == DONE || this == STOPPED || this == FAILED;
    }

    /** Its name where people see it. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Why a message stayed where it was. */
  public enum Skipped {
    /** It is not one of those that were asked for. */
    NOT_WANTED,
    /** Its headers do not tell where it died. */
    NO_HISTORY,
    /** It is damaged on the disk. */
    UNREADABLE,
    /** The queue that it would go to does not exist. */
    NO_QUEUE,
    /** The exchange that it would go to does not exist. */
    NO_EXCHANGE,
    /** The exchange would route it nowhere. */
    UNROUTABLE,
    /** It would come back to where it is. */
    TO_ITSELF,
    /** A queue that it would go to is full and refuses more, or refused one before it. */
    REFUSED,
    /** The user may not publish to the exchange. */
    FORBIDDEN;

    /** Its name where people see it. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
