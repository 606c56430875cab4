package io.mayflymq.core.store;

/**
 * A queue of which there are messages, but no metadata: these are lost, or older than the messages.
 *
 * @param id the number that its messages are kept under
 * @param shard the shard in whose log they are, 0 for a stream
 * @param stream whether it is a stream
 * @param name what it is called; null if the log does not tell
 * @param messages how many there are
 */
public record OrphanedQueue(long id, int shard, boolean stream, QueueName name, long messages) {
  @Override
  public String toString() {
    String what =
        name != null
            ? "%s '%s' in vhost '%s'".formatted(kind(), name.name(), name.vhost())
            : "%s with id %d, whose name is not known".formatted(kind(), id);
    return "%s (%d messages)".formatted(what, messages);
  }

  private String kind() {
    return stream ? "stream" : "queue";
  }
}
