package io.mayflymq.server.cluster.transport;

/**
 * What a connection is for.
 *
 * @param kind requests, or something that has a shard
 * @param number of the event loop that opened it, or of the partition, 0 to 65535
 */
public record Purpose(Kind kind, int number) {
  /** The kinds of connections. The code is what is sent: it never changes. */
  public enum Kind {
    /** Requests that are answered. */
    CALLS(0, "requests"),
    /** Messages of queues, and what is done with them. The number is that of the loop. */
    QUEUES(1, "queues"),
    /** From the leader of a partition to another replica. The number is that of the partition. */
    REPLICA(2, "replicas"),
    /** Messages of the queues of a partition, at its leader. The number is the partition's. */
    PARTITION(3, "replicated partitions");

    private final int code;
    private final String served;

    Kind(int code, String served) {
      this.code = code;
      this.served = served;
    }

    int code() {
      return code;
    }

    /** Returns what a node serves that takes such connections. */
    @Override
    public String toString() {
      return served;
    }
  }

  private static final int MOST = 0xffff;

  /** A connection for requests. */
  public static final Purpose CALLS = new Purpose(Kind.CALLS, 0);

  public Purpose {
    if (number < 0 || number > MOST) {
      throw new IllegalArgumentException(
          "number %d of a connection for %s: expected 0 to %d".formatted(number, kind, MOST));
    }
  }

  /** Returns a connection for queues. */
  public static Purpose queues(int loop) {
    return new Purpose(Kind.QUEUES, loop);
  }
}
