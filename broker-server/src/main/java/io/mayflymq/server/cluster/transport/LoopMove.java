package io.mayflymq.server.cluster.transport;

import io.netty.channel.Channel;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.ImmediateEventExecutor;

/**
 * Moves an accepted connection to the event loop that is to serve it: which one that is, is known
 * only after the handshake. Nothing is read meanwhile.
 */
final class LoopMove {
  private LoopMove() {}

  /**
   * Moves a connection, on its present loop.
   *
   * @param then run on the new loop
   */
  static void move(Channel channel, EventLoop to, ConnectionSetup setup, Runnable then) {
    if (channel.eventLoop() == to) {
      to.execute(then);
      return;
    }
    channel.config().setAutoRead(false);
    // The timers of this one belong to the present loop.
    channel.pipeline().remove(IdleStateHandler.class);
    channel
        .eventLoop()
        .execute(
            () ->
                channel
                    .deregister()
                    .addListener(
                        left -> {
                          if (to.isShuttingDown()) {
                            // The node stops. Netty would have a warning with a trace for it.
                            channel.unsafe().closeForcibly();
                          } else if (left.isSuccess() && channel.isOpen()) {
                            // Told on the new loop; if that has stopped, or was faster than this
                            // one, here.
                            to.register(
                                    new DefaultChannelPromise(
                                        channel, ImmediateEventExecutor.INSTANCE))
                                .addListener(
                                    arrived -> resumeOn(to, () -> resume(channel, setup, then)));
                          }
                        }));
  }

  private static void resumeOn(EventLoop to, Runnable work) {
    if (to.inEventLoop()) {
      work.run();
    } else if (!to.isShuttingDown()) {
      to.execute(work);
    }
  }

  private static void resume(Channel channel, ConnectionSetup setup, Runnable then) {
    if (channel.isActive()) {
      channel.pipeline().addFirst(setup.idleHandler());
      then.run();
      channel.config().setAutoRead(true);
    }
  }
}
