package io.mayflymq.server.cluster.transport.handshake;

/**
 * What a connection is for.
 *
 * @param kind requests, or queues
 * @param loop for queues: the number of the event loop that opened it, 0 to 65535
 */
public record Purpose(Kind kind, int loop) {
  /** The kinds of connections. The code is what is sent: it never changes. */
  public enum Kind {
    /** Requests that are answered. */
    CALLS(0),
    /** Messages of queues, and what is done with them. */
    QUEUES(1);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }
  }

  /** A connection for requests. */
  public static final Purpose CALLS = new Purpose(Kind.CALLS, 0);

  /** Returns a connection for queues. */
  public static Purpose queues(int loop) {
    return new Purpose(Kind.QUEUES, loop);
  }
}
