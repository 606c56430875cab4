package io.mayflymq.core.store;

/**
 * A queue that has messages but no metadata: the metadata are lost, or older than the messages.
 *
 * @param id the number under which its messages are stored
 * @param shard the shard in whose log they are, 0 for a stream
 * @param stream whether it is a stream
 * @param name its name; null if the log does not contain it
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
