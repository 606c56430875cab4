package io.mayflymq.server.standby;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.ShardQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the copies of a standby into its queues.
 *
 * <p>It begins with empty queues, and no client is let in before its end. So a promotion that was
 * interrupted begins anew: what it had moved is removed first, and no message is there twice. The
 * copies are kept until all of them are safe in their queues.
 */
final class Promotion {
  private static final Logger LOGGER = LoggerFactory.getLogger(Promotion.class);

  /** So many messages, or so many bytes of them, are moved at once. */
  private static final int BATCH = 256;

  private static final long BATCH_BYTES = 1 << 20;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Broker broker;
  private final LongConsumer progress;
  private final List<CopiedMessage> batch = new ArrayList<>();
  private QueueKey batchOf;
  private long batchBytes;
  private long moved;
  private long withoutQueue;

  /**
   * Prepares it.
   *
   * @param progress is told how many messages have been moved
   */
  Promotion(Broker broker, LongConsumer progress) {
    this.broker = broker;
    this.progress = progress;
  }

  /**
   * Moves all copies, and waits until they are safe in their queues.
   *
   * @throws IOException if copies cannot be read, or messages cannot be written
   */
  void run(CopyStore store) throws IOException {
    empty();
    store.forEach(this::add);
    move();
    for (Queue queue : queues()) {
      on(queue.shard(), () -> queue.onShard().restoreEnded());
    }
    awaitSafe();
    if (withoutQueue > 0) {
      LOGGER.warn("{} messages were not moved: the primary had deleted their queues", withoutQueue);
    }
  }

  /** Returns how many messages were moved. */
  long moved() {
    return moved;
  }

  private List<Queue> queues() {
    return broker.virtualHosts().stream()
        .flatMap(vhost -> vhost.routing().queues().stream())
        .filter(queue -> !queue.isStream())
        .map(Queue::nearest)
        .toList();
  }

  private void empty() throws IOException {
    List<CompletableFuture<?>> emptied = new ArrayList<>();
    for (Queue queue : queues()) {
      emptied.add(queue.requests().purge());
      emptied.add(queue.requests().removeScheduled(null));
    }
    await(CompletableFuture.allOf(emptied.toArray(CompletableFuture<?>[]::new)));
  }

  private void add(QueueKey key, CopiedMessage message) throws IOException {
    if (!key.equals(batchOf) || batch.size() >= BATCH || batchBytes >= BATCH_BYTES) {
      move();
      batchOf = key;
    }
    batch.add(message);
    batchBytes += message.message().content().length;
  }

  private void move() throws IOException {
    if (batch.isEmpty()) {
      return;
    }
    VirtualHost vhost = broker.virtualHost(batchOf.vhost());
    Queue found = vhost == null ? null : vhost.routing().queue(batchOf.queue());
    if (found == null || found.isStream()) {
      withoutQueue += batch.size();
    } else {
      Queue queue = found.nearest();
      MessagePart part = batchOf.part();
      awaitDisk(queue.partition());
      on(queue.shard(), () -> batch.forEach(each -> restore(queue.onShard(), part, each)));
      moved += batch.size();
      progress.accept(moved);
    }
    batch.clear();
    batchBytes = 0;
  }

  private static void restore(ShardQueue queue, MessagePart part, CopiedMessage copy) {
    Message message = copy.message();
    switch (part) {
      case QUEUE ->
          queue.restore(message, copy.ownDeadlineMillis(), copy.enqueuedAtMillis(), copy.returns());
      case SCHEDULE -> queue.schedule(message, copy.ownDeadlineMillis());
      case WAITING_DEAD_LETTERS -> queue.keepWaiting(message, null);
    }
  }

  private static void awaitDisk(Partition partition) throws IOException {
    while (on(partition.shard(), () -> partition.store().isBehind())) {
      LockSupport.parkNanos(PAUSE_NANOS);
      if (Thread.currentThread().isInterrupted()) {
        throw new IOException("the broker is stopping");
      }
    }
  }

  private void awaitSafe() throws IOException {
    List<CompletableFuture<?>> safe = new ArrayList<>();
    for (Partition partition : broker.partitions().withStores()) {
      Safe one = new Safe();
      partition.shard().execute(() -> partition.store().commit(one));
      safe.add(one.done);
    }
    await(CompletableFuture.allOf(safe.toArray(CompletableFuture<?>[]::new)));
  }

  private static final class Safe implements Commit {
    final CompletableFuture<Void> done = new CompletableFuture<>();

    @Override
    public void safe() {
      done.complete(null);
    }

    @Override
    public void failed() {
      done.completeExceptionally(new IllegalStateException("the disk has failed"));
    }
  }

  private static void on(Shard shard, Runnable work) throws IOException {
    on(
        shard,
        () -> {
          work.run();
          return true;
        });
  }

  private static <T> T on(Shard shard, Supplier<T> work) throws IOException {
    return await(shard.call(work));
  }

  private static <T> T await(CompletableFuture<T> future) throws IOException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the broker is stopping", e);
    } catch (ExecutionException e) {
      throw new IOException("messages cannot be moved: " + e.getCause().getMessage(), e.getCause());
    }
  }
}
