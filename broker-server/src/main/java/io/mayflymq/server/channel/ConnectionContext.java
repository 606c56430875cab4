package io.mayflymq.server.channel;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.ShardCommandSender;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.config.ProtocolSettings;
import io.mayflymq.server.delivery.ConnectionIdentity;
import io.mayflymq.server.delivery.ConnectionOutput;
import io.mayflymq.server.delivery.DeliveryLink;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What a channel has of its connection. To be used on the connection's loop only. */
public interface ConnectionContext {
  /** The virtual host that the connection is open to. */
  VirtualHost vhost();

  /** What its user may do. */
  VhostAccess access();

  /** What it writes. */
  ConnectionOutput output();

  /** Its way to the queues. */
  ShardCommandSender commands();

  /** The way from the queues of a shard to it. */
  DeliveryLink laneFrom(Shard shard);

  /** The shard on its loop. */
  Shard home();

  /** What tells it from other connections: exclusive queues belong to it. */
  ConnectionIdentity identity();

  /** What it is held to. */
  ProtocolSettings settings();

  /** What its client goes by. */
  ClientQuirks client();

  /**
   * Reads no further method until a future is done; then goes on with its value, or fails the
   * channel with its error.
   *
   * @param channel the channel that waits
   */
  <T> void await(ChannelSession channel, CompletableFuture<T> future, Consumer<T> then);

  /**
   * Does something at once, or, while a reply is awaited, when that has been given: what a method
   * brought about is told after its reply.
   */
  void afterReply(Runnable action);

  /** Remembers that an exclusive queue was declared, to delete it when the connection ends. */
  void ownsQueue(String queue);

  /** Ends a channel, or the connection if that is what the error does, and tells the client. */
  void fail(int channel, AmqpException error);

  /**
   * Reports an exception that is not the client's doing, and ends the connection with 541, so that
   * whatever it has not settled goes back.
   */
  void failInternally(Throwable cause);

  /** The channel is closed on both sides. */
  void closed(ChannelSession channel);
}
