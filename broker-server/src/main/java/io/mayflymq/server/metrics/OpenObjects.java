package io.mayflymq.server.metrics;

import io.mayflymq.cluster.partition.ReplicaManager;
import io.mayflymq.cluster.partition.ReplicaSnapshot;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.connection.ConnectionView;
import io.mayflymq.server.connection.OpenConnection;
import io.mayflymq.server.http.Workers;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The queues and the connections that shards have seen.
 *
 * @param queues the queues or the sums of those of each shard, and whether all shards have answered
 * @param connections the connections, and whether all shards have answered
 * @param stores what partitions store that this node leads, and whether all shards have answered
 * @param replicas the replicas that this node is to keep, and whether all shards have answered
 */
record OpenObjects(
    ShardQuery.Seen<QueueStats> queues,
    ShardQuery.Seen<Connected> connections,
    ShardQuery.Seen<Stored> stores,
    ShardQuery.Seen<ReplicaSnapshot> replicas) {
  /** How long shards may take. Prometheus waits for ten seconds, unless it is told otherwise. */
  private static final long SHARD_MILLIS = 5_000;

  private static final long PATIENCE_MILLIS = 2 * SHARD_MILLIS;

  /** Thrown when the broker does not answer. */
  static final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    private UnavailableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * What a partition stores.
   *
   * @param partition its number
   */
  record Stored(int partition, StoreStats figures) {}

  /** A connection with its channels. */
  record Connected(ConnectionView view, List<ChannelView> channels) {}

  /**
   * Reads queues, connections, stores and replicas in slices, all shards at the same time.
   *
   * @param sums whether only the sums of queues are asked for, so that no memory is taken for each
   * @param replicas null for none
   * @throws UnavailableException if that is not possible
   */
  static OpenObjects read(
      Collection<Queue> queues,
      boolean sums,
      Collection<OpenConnection> connections,
      Collection<Partition> partitions,
      ReplicaManager replicas)
      throws UnavailableException {
    CompletableFuture<ShardQuery.Seen<QueueStats>> seenQueues =
        sums
            ? sums(queues)
            : ShardQuery.collectWithin(SHARD_MILLIS, queues, Queue::shard, QueueStats::of);
    var seenConnections =
        ShardQuery.collectWithin(
            SHARD_MILLIS, connections, OpenConnection::home, OpenObjects::connected);
    var seenStores =
        ShardQuery.collectWithin(
            SHARD_MILLIS,
            partitions,
            Partition::shard,
            partition -> new Stored(partition.index(), partition.store().figures()));
    CompletableFuture<ShardQuery.Seen<ReplicaSnapshot>> seenReplicas =
        replicas == null
            ? CompletableFuture.completedFuture(new ShardQuery.Seen<>(List.of(), true))
            : replicas.kept(SHARD_MILLIS);
    return new OpenObjects(
        await(seenQueues), await(seenConnections), await(seenStores), await(seenReplicas));
  }

  private static CompletableFuture<ShardQuery.Seen<QueueStats>> sums(Collection<Queue> queues) {
    Map<Shard, QueueSizes.Sum> sums = new ConcurrentHashMap<>();
    return ShardQuery.<Queue, QueueStats>collectWithin(
            SHARD_MILLIS,
            queues,
            Queue::shard,
            queue -> {
              QueueSizes sizes = QueueSnapshot.sizes(queue);
              if (sizes != null) {
                sums.computeIfAbsent(queue.shard(), shard -> new QueueSizes.Sum()).add(sizes);
              }
              return null;
            })
        .thenApply(
            seen ->
                new ShardQuery.Seen<>(
                    sums.values().stream().map(sum -> QueueStats.sum(sum.sizes(), null)).toList(),
                    seen.complete()));
  }

  /** Returns whether all shards have answered. */
  boolean complete() {
    return queues.complete() && connections.complete() && stores.complete() && replicas.complete();
  }

  /** Returns the channels of all connections. */
  List<ChannelView> channels() {
    return connections.views().stream().flatMap(view -> view.channels().stream()).toList();
  }

  private static Connected connected(OpenConnection connection) {
    ConnectionView view = connection.view();
    return view == null ? null : new Connected(view, connection.channelViews());
  }

  private static <T> T await(CompletableFuture<T> answer) throws UnavailableException {
    try {
      return Workers.await(answer, PATIENCE_MILLIS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException | Workers.TooManyWaitException e) {
      throw new UnavailableException("the broker does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("the broker is stopping", e);
    }
  }
}
