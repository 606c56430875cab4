package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The redrives of a virtual host, and the moves of chosen messages: one of each queue at a time.
 * Any thread may call.
 */
public final class RedriveRegistry {
  private final DeadLetterPublishers publishers;
  private final Partitions partitions;
  private final Map<Long, Redrive> last = new ConcurrentHashMap<>();
  private final Map<Long, Redrive> moves = new ConcurrentHashMap<>();

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
    Queue source = queue.nearest();
    return source
        .shard()
        .call(() -> start(RedriveRouter.of(source, request, conditions), "redrive", last));
  }

  /**
   * Starts to move chosen messages of a queue to another one, or to an exchange. Fails as {@link
   * #start} does.
   *
   * @param conditions what else must hold
   */
  public CompletableFuture<Redrive> move(
      Queue queue, MoveRequest request, Redrive.Conditions conditions) {
    Queue source = queue.nearest();
    return source
        .shard()
        .call(() -> start(MoveRouter.of(source, request, conditions), "move_message", moves));
  }

  private Redrive start(Passages passages, String method, Map<Long, Redrive> running) {
    Queue queue = passages.source();
    MessageExtractor extractor = queue.onShard().extractor(method);
    Redrive redrive =
        new Redrive(passages, extractor, publishers.of(queue.partition()), partitions);
    if (!passages.dryRun()) {
      requireNone(queue);
      running.put(queue.id(), redrive);
      queue.onShard().movedBy(redrive);
    }
    redrive.goOn();
    return redrive;
  }

  /**
   * Checks that no messages of a queue are being moved.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if they are
   */
  public void requireNone(Queue queue) {
    if (isUnderWay(last.get(queue.id()))) {
      throw Preconditions.precondition(queue, "is being redriven");
    }
    if (isUnderWay(moves.get(queue.id()))) {
      throw Preconditions.precondition(queue, "is left by messages that are being moved");
    }
  }

  private static boolean isUnderWay(Redrive redrive) {
    return redrive != null && !redrive.report().state().isEnd();
  }

  /** Returns the redrive of a queue that runs, or ran last; null if there was none. */
  public Redrive last(Queue queue) {
    return last.get(queue.id());
  }

  /** Forgets those of a queue that is deleted. */
  public void forget(Queue queue) {
    last.remove(queue.id());
    moves.remove(queue.id());
  }
}
