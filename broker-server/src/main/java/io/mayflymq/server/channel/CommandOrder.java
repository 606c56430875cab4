package io.mayflymq.server.channel;

import io.mayflymq.core.routing.Route;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the effects of a channel's commands in order when dead letters go from shard to shard, and
 * when queues change their places. A command that could overtake dead letters which earlier
 * commands of the channel caused waits for them. The connection reads no further meanwhile, so
 * everything else keeps its order too. Used on the connection's loop only.
 */
final class CommandOrder {
  private final ChannelContext channel;
  private final ConnectionContext connection;

  CommandOrder(ChannelContext channel, ConnectionContext connection) {
    this.channel = channel;
    this.connection = connection;
  }

  /** Runs an action that affects a queue. */
  void after(Queue queue, Runnable action) {
    after(connection.commands().arrivalAt(queue), action);
  }

  /** Runs an action that affects several queues. */
  void after(List<Queue> queues, Runnable action) {
    after(connection.commands().arrivalAt(Route.to(queues)), action);
  }

  /**
   * Publishes to the queues of a route. A message that was read is published in any case, even if
   * the channel closes meanwhile.
   */
  void after(Route<Queue> route, Runnable publish) {
    CompletableFuture<Void> arrival = connection.commands().arrivalAt(route);
    if (arrival == null) {
      publish.run();
    } else {
      channel.await(arrival, arrived -> publish.run());
    }
  }

  /** Runs an action that may affect any queue, or the routing. */
  void afterEverything(Runnable action) {
    ShardCommandSender commands = connection.commands();
    after(commands.hasCaused() ? commands.arrivalEverywhere() : null, action);
  }

  private void after(CompletableFuture<Void> arrival, Runnable action) {
    if (arrival == null) {
      action.run();
      return;
    }
    channel.await(
        arrival,
        arrived -> {
          if (channel.isOpen()) {
            action.run();
          }
        });
  }
}
