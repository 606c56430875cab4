package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Why a message has left its queue in a way that can be undone. Their codes are part of the format
 * of the log ({@link io.mayflymq.core.store.RemovalStamp}): none is given another meaning.
 */
public enum RemovalReason {
  /** A purge, of all messages or of some. */
  PURGED(0),
  /** Its deadline. */
  EXPIRED(1),
  /** A length limit. */
  MAXLEN(2),
  /** A consumer that rejected it, or whose time was over. */
  REJECTED(3),
  /** Too many returns. */
  DELIVERY_LIMIT(4),
  /** An acknowledgement, which may be automatic. */
  ACKED(5),
  /** The deletion of its queue, with which it has left. It comes back with the queue. */
  DELETED(6),
  /** The same, but it has left before, as a dead letter that no queue took: the queue may stay. */
  DRAINED(7);

  private static final RemovalReason[] ALL = values();

  /** 0 to 7. */
  final int code;

  RemovalReason(int code) {
    this.code = code;
  }

  /** Returns the reason of this code. */
  static RemovalReason of(int code) {
    for (RemovalReason reason : ALL) {
      if (reason.code == code) {
        return reason;
      }
    }
    throw new IllegalArgumentException("no reason has the code " + code);
  }

  /** Returns the reason that follows from a death. */
  static RemovalReason of(DropTrigger cause) {
    return switch (cause.reason()) {
      case EXPIRED -> EXPIRED;
      case MAXLEN -> MAXLEN;
      case REJECTED -> REJECTED;
      case DELIVERY_LIMIT -> DELIVERY_LIMIT;
      case QUEUE_EXPIRED, QUEUE_DELETED -> DRAINED;
    };
  }

  /**
   * Returns its name for people: {@code purged}, {@code delivery_limit} and so on. What was drained
   * is {@code deleted}, too.
   */
  public String word() {
    return this == DRAINED ? DELETED.word() : name().toLowerCase(Locale.ROOT);
  }

  /** Returns the reasons of this name; none if there is no such name. */
  public static Set<RemovalReason> ofWord(String word) {
    Set<RemovalReason> reasons = EnumSet.noneOf(RemovalReason.class);
    for (RemovalReason reason : ALL) {
      if (reason.word().equals(word)) {
        reasons.add(reason);
      }
    }
    return reasons;
  }
}
