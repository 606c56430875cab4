package io.mayflymq.server.channel;

import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Turn;
import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.config.ProtocolSettings;
import io.mayflymq.server.rate.ConnectionRates;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What a channel sees of its connection. Used on the connection's loop only. */
public interface ConnectionContext {
  /** Returns the virtual host of the connection. */
  VirtualHost vhost();

  /** Returns the permissions of its user. */
  VhostAccess access();

  /** Returns its output. */
  ConnectionOutput output();

  /** Returns what sends its commands to the queues. */
  ShardCommandSender commands();

  /** Returns the link from the queues of a shard to this connection. */
  DeliveryLink linkFrom(Shard shard);

  /** Returns the rates that it keeps to, of its user and its virtual host. */
  ConnectionRates rates();

  /** Returns the deadlines that replies of the connection get. */
  ReplyDeadlines replyDeadlines();

  /** Returns the shard on its loop. */
  Shard home();

  /** Returns how long it may keep that shard. */
  Turn turn();

  /** Returns its identity, which is also the owner of its exclusive queues. */
  ConnectionIdentity identity();

  /** Returns its protocol settings. */
  ProtocolSettings settings();

  /**
   * Notes that so many bytes more are held for what the client has begun and not finished, or
   * fewer.
   */
  void hold(long bytes);

  /** Notes that so many bytes more are held for what the client keeps open, or fewer. */
  void keep(long bytes);

  /**
   * Returns why the client may keep no more open, in a few words; null if it may. It may not when
   * what all clients keep open takes nearly as much memory as it may, and that of the clients of
   * its virtual host the most.
   */
  String memoryShortage();

  /** Returns the faults of confirms and acknowledgements that a test wants. */
  InjectedFaults faults();

  /** Returns how its client interprets the protocol. */
  ClientQuirks client();

  /**
   * Handles no further method until a future is done; then continues with its value, or fails the
   * channel with its error.
   *
   * @param channel the number of the channel that waits
   */
  <T> void await(int channel, CompletableFuture<T> future, Consumer<T> then);

  /**
   * Publishes to the queues of a route as soon as none of them is paused for publishers, and
   * handles no further method before. A message that was read is published in any case, even if the
   * connection ends meanwhile.
   *
   * @param channel the number of the channel that publishes
   */
  void awaitPublishing(int channel, Route<Queue> route, Runnable publish);

  /**
   * Handles no further method until an answer is there that a command needs, and then repeats the
   * command; as often as it needs a further one. A command that has not thrown yet has had no
   * effect.
   *
   * @param channel the number of the channel whose command it is
   * @param awaited what the command has thrown
   */
  void repeat(int channel, AnswerAwaitedException awaited, Runnable command);

  /**
   * Awaits the declaration of a queue that needs no reply; but further ones that the channel's
   * client sends next are handled meanwhile. They end in the order of the calls.
   *
   * @param channel the number of the channel
   * @param ended run first when it is its turn, whatever has become of it
   * @param then continues, unless one of those before has failed
   */
  <T> void awaitInRun(int channel, CompletableFuture<T> future, Runnable ended, Consumer<T> then);

  /**
   * Runs an action at once, or, while a reply is awaited, after that reply: the side effects of a
   * method are sent after its reply.
   */
  void afterReply(Runnable action);

  /** Remembers that an exclusive queue was declared, to delete it when the connection ends. */
  void ownsQueue(String queue);

  /**
   * Closes a channel, or the connection if the error demands it, and sends the error to the client.
   */
  void fail(int channel, AmqpException error);

  /**
   * Reports an exception that the client did not cause, and closes the connection with 541, so that
   * its unsettled messages are requeued.
   */
  void failInternally(Throwable cause);

  /** Removes a channel that is closed on both sides. */
  void closed(int channel);
}
