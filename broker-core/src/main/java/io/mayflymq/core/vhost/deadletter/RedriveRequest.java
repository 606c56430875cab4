package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.Death;
import io.mayflymq.core.message.DeathHistory;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.BasicProperties;
import java.util.List;

/**
 * Which messages of a dead letter queue are sent back, where, and how fast.
 *
 * @param destination where they go
 * @param queue the queue of {@link Destination#QUEUE}, else null
 * @param filter which of them
 * @param limit no more than so many
 * @param rate no more than so many per second; 0 for no limit
 * @param keepsHistory whether their headers go on to tell of their deaths
 * @param dryRun whether they are only counted
 */
public record RedriveRequest(
    Destination destination,
    String queue,
    Filter filter,
    long limit,
    long rate,
    boolean keepsHistory,
    boolean dryRun) {

  /** Where messages go. */
  public enum Destination {
    /** The queue that a message died in first. */
    SOURCE,
    /** The exchange that it was published to, by the same routing keys. */
    ORIGINAL,
    /** One queue for all. */
    QUEUE
  }

  /**
   * Which messages are meant; null means any.
   *
   * @param reason why they died last
   * @param queue where they died last
   * @param messageId their message id
   */
  public record Filter(DeathReason reason, String queue, String messageId) {
    /** All messages. */
    public static final Filter ALL = new Filter(null, null, null);

    boolean matches(Message message) {
      if (reason == null && queue == null && messageId == null) {
        return true;
      }
      BasicProperties properties = message.properties();
      if (messageId != null && !messageId.equals(properties.messageId())) {
        return false;
      }
      if (reason == null && queue == null) {
        return true;
      }
      List<Death> deaths = DeathHistory.of(message).deaths();
      return !deaths.isEmpty()
          && (reason == null || deaths.get(0).reason() == reason)
          && (queue == null || deaths.get(0).queue().equals(queue));
    }
  }
}
