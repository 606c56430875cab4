package io.mayflymq.cluster.replication;

/**
 * What a leader tells of the lease of a queue.
 *
 * @param queueId the id of the queue
 * @param unusedMillis for how long the queue has been unused at least, in ms; negative if it may be
 *     used for so long from now on without a further note; {@link #IN_USE} or {@link #GONE}
 */
record LeaseNote(long queueId, long unusedMillis) {
  /** The lease does not run: the queue is in use. */
  public static final long IN_USE = Long.MIN_VALUE;

  /** The queue is not there any more. */
  public static final long GONE = Long.MAX_VALUE;
}
