package io.mayflymq.server.channel;

import io.mayflymq.core.routing.Route;
import io.mayflymq.core.vhost.Queue;
import io.mayflymq.core.vhost.ShardCommandSender;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Has a channel see its own commands in order where dead letters go from shard to shard: what would
 * be faster than the dead letters that were caused before waits for them. The connection reads no
 * further meanwhile, so all else keeps its order too. Belongs to the connection's loop.
 */
final class CommandOrder {
  private final ChannelSession channel;
  private final ConnectionContext connection;

  CommandOrder(ChannelSession channel, ConnectionContext connection) {
    this.channel = channel;
    this.connection = connection;
  }

  /** Does what concerns a queue. */
  void after(Queue queue, Runnable action) {
    ShardCommandSender commands = connection.commands();
    after(commands.hasCaused() ? commands.arrivalAt(queue) : null, action);
  }

  /** Does what concerns several queues. */
  void after(List<Queue> queues, Runnable action) {
    after(connection.commands().arrivalAt(Route.to(queues)), action);
  }

  /** Publishes to the queues of a route; a message that was read is published in any case. */
  void after(Route<Queue> route, Runnable publish) {
    CompletableFuture<Void> arrival = connection.commands().arrivalAt(route);
    if (arrival == null) {
      publish.run();
    } else {
      channel.await(arrival, arrived -> publish.run());
    }
  }

  /** Does what may concern any queue, or where messages go. */
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
