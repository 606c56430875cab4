package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Optional;

/**
 * The dead letter queue that is declared and deleted with a queue ({@code dead-letter-queue:
 * auto}): it is in the same partition and is as durable. Neither policies nor defaults apply to it,
 * so nothing expires in it and nothing is dead-lettered from it.
 *
 * <p>Source: Azure Service Bus, "Overview of Service Bus dead-letter queues".
 */
public final class AutoDeadLetterQueue {
  /** The argument that says whether a queue has one. */
  public static final String ARGUMENT = "x-dead-letter-queue";

  /** Its value for a queue that has one. */
  public static final FieldValue AUTO = FieldValue.of("auto");

  private static final String SUFFIX = ".$dlq";

  /** Its one argument names the queue that it belongs to. */
  private static final String PARENT = "x-dead-letter-queue-of";

  private AutoDeadLetterQueue() {}

  /** Returns the name of a queue's own dead letter queue. */
  public static String nameOf(String queue) {
    return queue + SUFFIX;
  }

  /** Returns the definition of the dead letter queue of a queue. */
  public static QueueDefinition of(QueueDefinition parent) {
    return new QueueDefinition(
        nameOf(parent.name()),
        parent.durable(),
        parent.exclusive(),
        false,
        FieldTable.builder().put(PARENT, FieldValue.of(parent.name())).build(),
        QueueSettings.DEFAULT,
        Actor.BROKER.user());
  }

  /** Returns whether a queue is one of these. */
  public static boolean is(QueueDefinition definition) {
    return definition.arguments().containsKey(PARENT);
  }

  /** Returns the name of the queue that one of these belongs to. */
  public static String parentOf(QueueDefinition definition) {
    return ((FieldValue.LongString) definition.arguments().get(PARENT)).string();
  }

  /**
   * Returns the name of the queue that one of these would belong to; empty if a queue of this name
   * and with these arguments is none.
   */
  public static Optional<String> parentOf(String queue, FieldTable arguments) {
    return arguments.get(PARENT) instanceof FieldValue.LongString parent
            && nameOf(parent.string()).equals(queue)
        ? Optional.of(parent.string())
        : Optional.empty();
  }

  /** Returns whether a queue, or null, is that of the queue with this name. */
  public static boolean isOf(Queue queue, String parent) {
    return queue != null && isOf(queue.definition(), parent);
  }

  /** Returns whether a queue that was declared so is that of the queue with this name. */
  public static boolean isOf(QueueDefinition definition, String parent) {
    return FieldValue.of(parent).equals(definition.arguments().get(PARENT));
  }

  /**
   * Checks that a declaration does not pretend to be one.
   *
   * @throws ChannelException 406 if it has the argument and there is no such queue
   */
  public static void refuse(FieldTable arguments, String queue, String vhost) {
    if (arguments.containsKey(PARENT)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "invalid arg '%s' for queue '%s' in vhost '%s': such queues come with dead-letter-queue auto"
              .formatted(PARENT, queue, vhost));
    }
  }

  /**
   * Returns the error for a declaration of a queue whose own dead letter queue cannot be made: 406.
   *
   * @param present the queue that has the name, and was not made with it
   */
  public static ChannelException nameIsTaken(String queue, String vhost, Queue present) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "invalid arg '%s' for queue '%s' in vhost '%s': %s is there already, and was not made with it"
            .formatted(ARGUMENT, queue, vhost, present));
  }

  /**
   * Returns the error for a client that deletes one: 406.
   *
   * @param queue a queue that {@link #is} one
   */
  public static ChannelException staysWithParent(Queue queue) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        "%s is the dead letter queue of '%s' and goes with it"
            .formatted(queue, parentOf(queue.definition())));
  }
}
