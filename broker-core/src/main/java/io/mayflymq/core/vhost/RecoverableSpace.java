package io.mayflymq.core.vhost;

import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSweep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The space that messages take on this node that have left their queues and can be brought back,
 * those of deleted queues included.
 */
public final class RecoverableSpace {
  private RecoverableSpace() {}

  /** Returns how many bytes they count together, each as for {@code recoverable-bytes}. */
  public static CompletableFuture<Long> bytes(Broker broker) {
    AtomicLong sum = new AtomicLong();
    return QueueSweep.of(
            queues(broker), queue -> sum.addAndGet(queue.nearest().onShard().recoverableBytes()))
        .thenApply(visited -> sum.get());
  }

  /**
   * Lets messages go: each queue those first that have left first, and as large a part of what it
   * has as any other. Any thread may call.
   *
   * @param bytes how many bytes are to become free, 1 or more
   * @return how many will be free when the log has let go of them, some time after that; 0 if there
   *     is nothing
   */
  public static CompletableFuture<Long> free(Broker broker, long bytes) {
    return bytes(broker)
        .thenCompose(
            all -> {
              if (all == 0) {
                return CompletableFuture.completedFuture(0L);
              }
              double part = Math.min(1, (double) bytes / all);
              return QueueSweep.of(queues(broker), queue -> letGo(queue.nearest(), part))
                  .thenApply(visited -> Math.min(bytes, all));
            });
  }

  private static void letGo(Queue queue, double part) {
    long bytes = (long) Math.ceil(queue.onShard().recoverableBytes() * part);
    if (bytes > 0) {
      queue.onShard().letRecoverableGo(bytes);
    }
  }

  private static List<Queue> queues(Broker broker) {
    List<Queue> queues = new ArrayList<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      vhost.routing().queues().stream().filter(Queue::isHere).forEach(queues::add);
      vhost.deletedQueues().stream()
          .map(KeptQueue::queue)
          .filter(Queue::isHere)
          .forEach(queues::add);
    }
    return queues;
  }
}
