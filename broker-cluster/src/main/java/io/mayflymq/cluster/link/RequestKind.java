package io.mayflymq.cluster.link;

import io.mayflymq.core.codec.ByteFormatException;

/** What a node asks of a queue of another one. The code is what a frame has: it never changes. */
public enum RequestKind {
  /** Adds a consumer. */
  SUBSCRIBE(1),
  /** Removes a consumer. */
  CANCEL(2),
  /** Takes a message for {@code basic.get}. */
  FETCH(3),
  /** Removes all ready messages. */
  PURGE(4),
  /** Counts messages and consumers, for a redeclaration. */
  STATUS(5),
  /** Deletes the queue. */
  DELETE(6),
  /** Records a use, which renews the lease. */
  USED(7),
  /** What the queue has at this moment. */
  CONTENTS(8),
  /** Removes scheduled messages. */
  REMOVE_SCHEDULED(9),
  /** Shows ready messages. */
  BROWSE(10),
  /** Sets how many bytes a consumer may be sent ahead. */
  WINDOW(11),
  /** Adds to the copy of a queue that is being moved to the node. */
  COPY(12),
  /** Counts renewed locks of deliveries. */
  LOCKS_RENEWED(13);

  private static final RequestKind[] ALL = values();

  private final int code;

  RequestKind(int code) {
    this.code = code;
  }

  /** Returns what a frame has for it. */
  public int code() {
    return code;
  }

  /** Returns the kind of a code; fails with {@link ByteFormatException} if there is none. */
  public static RequestKind of(int code) {
    for (RequestKind kind : ALL) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new ByteFormatException("unknown kind of request: " + code);
  }
}
