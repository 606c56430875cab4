package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.vhost.queue.Queue;

/**
 * A deleted queue that can be brought back.
 *
 * @param command what it was, and when and by whom it was deleted
 * @param queue has its messages; in no routing table any more
 */
public record KeptQueue(QueueKept command, Queue queue) {
  /** Returns the name that it had. */
  public String name() {
    return queue.name();
  }

  /** Returns its number, by which deleted queues of one name are told apart. */
  public long id() {
    return queue.id();
  }

  /** Returns when it was deleted, in ms since the epoch. */
  public long deletedAtMillis() {
    return command.deletedAtMillis();
  }

  /**
   * Returns until when it can be brought back by the policies of now, in ms since the epoch; {@link
   * Deadlines#NEVER} if that is too far away to be counted.
   */
  public long untilMillis() {
    return Deadlines.after(
        command.deletedAtMillis(),
        queue.vhost().settingsOf(queue.definition()).recoverable().windowMillis());
  }
}
