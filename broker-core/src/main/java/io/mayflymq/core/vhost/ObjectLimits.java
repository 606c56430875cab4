package io.mayflymq.core.vhost;

/**
 * How many objects there may be in the broker, all virtual hosts together; 0 or more, {@link
 * #UNLIMITED} for no limit. More of them may exist, if the limit was lowered since: then none is
 * added.
 *
 * @param vhosts how many virtual hosts
 * @param queues how many queues
 * @param exchanges how many exchanges, with the broker's own
 * @param vhostBytes how much memory the exchanges, queues and bindings of a virtual host may take
 *     that has no limit of its own, about, in bytes
 * @param bytes how much memory those of all virtual hosts may take, about, in bytes
 */
public record ObjectLimits(int vhosts, int queues, int exchanges, long vhostBytes, long bytes) {
  /** No limit. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** No limits at all. */
  public static final ObjectLimits NONE =
      new ObjectLimits(UNLIMITED, UNLIMITED, UNLIMITED, Long.MAX_VALUE, Long.MAX_VALUE);
}
