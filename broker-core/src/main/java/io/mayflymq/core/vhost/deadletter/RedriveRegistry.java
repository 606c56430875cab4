package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The redrives of a virtual host: one of each queue at a time. Any thread may call. */
public final class RedriveRegistry {
  private final DeadLetterPublishers publishers;
  private final Partitions partitions;
  private final Map<Long, Redrive> last = new ConcurrentHashMap<>();

  /** Begins without any. */
  public RedriveRegistry(DeadLetterPublishers publishers, Partitions partitions) {
    this.publishers = publishers;
    this.partitions = partitions;
  }

  /**
   * Starts to send the messages of a dead letter queue back. Fails with 404 if the queue is
   * deleted, 406 if its messages are being sent back already, 540 if it is a stream.
   *
   * @param conditions what else must hold
   */
  public CompletableFuture<Redrive> start(
      Queue queue, RedriveRequest request, Redrive.Conditions conditions) {
    RedriveRouter router = RedriveRouter.of(queue.nearest(), request, conditions);
    return queue.shard().call(() -> startNow(router));
  }

  private Redrive startNow(RedriveRouter router) {
    Queue queue = router.source();
    MessageExtractor extractor = queue.onShard().extractor("redrive");
    Redrive redrive = new Redrive(router, extractor, publishers.of(queue.partition()), partitions);
    if (!router.request().dryRun()) {
      requireNone(queue);
      last.put(queue.id(), redrive);
      queue.onShard().movedBy(redrive);
    }
    redrive.goOn();
    return redrive;
  }

  private void requireNone(Queue queue) {
    Redrive before = last(queue);
    if (before != null && !before.report().state().isEnd()) {
      throw Preconditions.precondition(queue, "is being redriven");
    }
  }

  /** Returns the redrive of a queue that runs, or ran last; null if there was none. */
  public Redrive last(Queue queue) {
    return last.get(queue.id());
  }

  /** Forgets those of a queue that is deleted. */
  public void forget(Queue queue) {
    last.remove(queue.id());
  }
}
