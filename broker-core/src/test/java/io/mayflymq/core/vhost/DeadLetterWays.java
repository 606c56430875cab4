package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Where the dead letters of queues go, by what was declared.
 *
 * @param broker the one that runs
 * @param definitions all queues that ever were, by their ids
 * @param unacknowledged those that have had a consumer without acknowledgements
 */
record DeadLetterWays(
    Supplier<TestBroker> broker, Map<Long, QueueDefinition> definitions, Set<Long> unacknowledged) {
  /** Whether dead messages of the one store may go to the other. */
  boolean leads(long from, long target) {
    long source = StoreIds.queueOf(from);
    if (StoreIds.isRemoved(from) || StoreIds.isRemoved(target)) {
      return StoreIds.queueOf(target) == source;
    }
    if (StoreIds.isWaitingDeadLetters(target)) {
      return !StoreIds.isWaitingDeadLetters(from) && StoreIds.queueOf(target) == source;
    }
    if (StoreIds.isSchedule(target) || StoreIds.ofSchedule(target) == from) {
      return !StoreIds.isSchedule(target);
    }
    QueueSettings settings = definitions.get(source).settings();
    String exchange = settings.deadLetters().exchange();
    String name = definitions.get(target).name();
    return exchange != null
        && (exchange.isEmpty()
            ? settings.deadLetters().routingKey().equals(name)
            : broker.get().vhost.routing().contains(Binding.toQueue(exchange, name, "")));
  }

  /** Where a queue's dead letters are stored, whatever else happens; null if nothing is sure. */
  Long target(long source) {
    QueueSettings settings = definitions.get(StoreIds.queueOf(source)).settings();
    Queue target =
        "".equals(settings.deadLetters().exchange())
            ? broker.get().queue(settings.deadLetters().routingKey())
            : null;
    return target == null
            || !target.definition().durable()
            || mayDropDeadLetters(target.definition().settings().length())
            || unacknowledged.contains(target.id())
        ? null
        : target.id();
  }

  /** The name of a queue; null if no client has been told of it. */
  String name(long source) {
    QueueDefinition definition = definitions.get(StoreIds.queueOf(source));
    return definition == null ? null : definition.name();
  }

  /** Whether a queue is deleted: then it keeps no dead letter that another one refuses. */
  boolean isDeleted(long source) {
    long id = StoreIds.queueOf(source);
    Queue queue = broker.get().queue(definitions.get(id).name());
    return queue == null || queue.id() != id;
  }

  /** What a full queue refuses waits where it died; what it drops is lost. */
  private static boolean mayDropDeadLetters(LengthSettings length) {
    return length.isLimited() && length.overflow() == Overflow.DROP_HEAD;
  }
}
