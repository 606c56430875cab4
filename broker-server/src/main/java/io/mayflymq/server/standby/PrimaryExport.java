package io.mayflymq.server.standby;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.connection.ClusterName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * What a broker gives to its standby: the state of its durable queues, and their messages. Nothing
 * of it costs anything unless it is asked. Any thread may call.
 */
public final class PrimaryExport {
  /** More bytes of messages are not given at once. */
  public static final long MOST_BYTES = 16L << 20;

  private final Broker broker;
  private final GlobalParameters parameters;
  private final String process = UUID.randomUUID().toString();

  /**
   * Prepares it.
   *
   * @param parameters the identity of the broker is one of them
   */
  public PrimaryExport(Broker broker, GlobalParameters parameters) {
    this.broker = broker;
    this.parameters = parameters;
  }

  /** Returns the state of all durable queues on this node, without their messages. */
  public CompletableFuture<byte[]> state() {
    List<Queue> here = new ArrayList<>();
    List<PrimaryState.Elsewhere> elsewhere = new ArrayList<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      for (Queue queue : vhost.routing().queues()) {
        if (isFollowed(queue)) {
          if (queue.isHere()) {
            here.add(queue.nearest());
          } else {
            elsewhere.add(
                new PrimaryState.Elsewhere(vhost.name(), queue.name(), queue.home().node()));
          }
        }
      }
    }
    // The time before the queues are looked at: what comes later is later.
    Shard clock = broker.shards().get(0);
    CompletableFuture<Long> now = clock.call(() -> clock.toMachine(clock.now()));
    return now.thenCompose(any -> ShardQuery.collect(here, Queue::shard, PrimaryExport::states))
        .thenApply(
            states ->
                new PrimaryState(
                        ClusterName.id(parameters),
                        NodeName.value(),
                        process,
                        now.join(),
                        states.stream().flatMap(List::stream).toList(),
                        elsewhere)
                    .write());
  }

  private static boolean isFollowed(Queue queue) {
    return queue.definition().durable() && queue.owner() == null && !queue.isStream();
  }

  private static List<PrimaryState.QueueState> states(Queue queue) {
    List<PrimaryState.QueueState> states = new ArrayList<>(1);
    for (MessagePart part : MessagePart.values()) {
      MessageReader reader = queue.onShard().messageReader(part);
      if (reader != null && reader.count() > 0) {
        states.add(
            new PrimaryState.QueueState(
                new QueueKey(queue.vhost().name(), queue.name(), part),
                queue.id(),
                reader.end(),
                reader.count(),
                reader.bytes()));
      }
    }
    return states;
  }

  /**
   * Returns messages of a queue.
   *
   * @param part a number as {@link #state} has it
   * @param after the messages after this number
   * @param bytes at most about so many
   * @param present whether the numbers of all messages are told
   * @param sinceMillis which numbers were given to other messages since this time; {@link
   *     Long#MAX_VALUE} if that is not asked
   * @return completed with nothing if the queue is not on this node, or has no such messages
   */
  public CompletableFuture<Optional<byte[]>> slice(
      String vhost,
      String queue,
      int part,
      long after,
      long bytes,
      boolean present,
      long sinceMillis) {
    VirtualHost found = broker.virtualHost(vhost);
    Queue wanted = found == null ? null : found.routing().queue(queue);
    if (wanted == null || !isFollowed(wanted) || !wanted.isHere()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return QueueReading.of(
            wanted.nearest(),
            QueueKey.part(part),
            new QueueReading.Wanted(after, Math.min(bytes, MOST_BYTES), present, sinceMillis))
        .thenApply(slice -> Optional.ofNullable(slice).map(QueueSlice::write));
  }
}
