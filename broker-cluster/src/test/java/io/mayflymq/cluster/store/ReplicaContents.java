package io.mayflymq.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeMap;

/**
 * What the queues of a partition have, without where it is: the same on each replica.
 *
 * @param delivered up to where messages that are there may have been delivered
 * @param applied the number of the last batch of commands that was applied
 */
record ReplicaContents(
    TreeMap<MessageKey, String> messages,
    TreeMap<Long, Long> delivered,
    TreeMap<MessageKey, Back> returned,
    long applied) {
  static final ReplicaContents NONE =
      new ReplicaContents(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), 0);

  /** A message of a queue. */
  record MessageKey(long queueId, long sequence) implements Comparable<MessageKey> {
    @Override
    public int compareTo(MessageKey other) {
      int order = Long.compare(queueId, other.queueId);
      return order != 0 ? order : Long.compare(sequence, other.sequence);
    }
  }

  /** How often a message was returned, and until when it waits. */
  record Back(long returns, long untilMillis) {}

  void assertEqualTo(ReplicaContents other) {
    assertThat(messages).isEqualTo(other.messages);
    assertThat(delivered).isEqualTo(other.delivered);
    assertThat(returned).isEqualTo(other.returned);
    assertThat(applied).isEqualTo(other.applied);
  }
}
