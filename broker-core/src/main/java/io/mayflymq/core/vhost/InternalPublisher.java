package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.RecentHistory;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Messages of the broker's own: none is confirmed, and a queue that refuses one does not get it.
 * Any thread may call.
 */
final class InternalPublisher {
  private InternalPublisher() {}

  /**
   * Publishes a message to its exchange; nowhere if there is none.
   *
   * @param clock returns the time, in ms since the epoch
   */
  public static void publish(RoutingTable<Queue> table, Message message, LongSupplier clock) {
    deliver(route(table, message.exchange().value(), message, clock), message);
  }

  /**
   * Gives what an exchange remembers to what was just bound to it.
   *
   * @param clock returns the time, in ms since the epoch
   */
  public static void replay(RoutingTable<Queue> table, Binding binding, LongSupplier clock) {
    RecentHistory history = table.history(binding.source());
    List<Message> messages = history == null ? List.of() : history.messages();
    for (Message message : messages) {
      if (binding.destinationKind() == DestinationKind.QUEUE) {
        deliver(table.queue(binding.destination()), message);
      } else {
        deliver(route(table, binding.destination(), message, clock), message);
      }
    }
  }

  private static Route<Queue> route(
      RoutingTable<Queue> table, String exchange, Message message, LongSupplier clock) {
    Route<Queue> route = table.route(exchange, message.routingKey().value(), message::properties);
    route.remember(message, clock);
    return route;
  }

  private static void deliver(Route<Queue> route, Message message) {
    for (int i = 0; i < route.size(); i++) {
      deliver(route.get(i), message);
    }
  }

  private static void deliver(Queue queue, Message message) {
    queue
        .shard()
        .execute(
            () -> {
              if (queue.holdsCommands()) {
                queue.gate().hold(new Held(queue, message));
              } else {
                queue.onShard().publish(message);
              }
            });
  }

  /** A message for a queue that is being moved. */
  private record Held(Queue queue, Message message) implements QueueGate.Held<Queue> {
    @Override
    public void proceed() {
      queue.onShard().publish(message);
    }

    @Override
    public void follow(Queue successor) {
      deliver(successor, message);
    }
  }
}
