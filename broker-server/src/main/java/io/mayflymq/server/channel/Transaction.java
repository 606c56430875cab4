package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * The publishes and settlements of a channel in transaction mode since the last commit; queues see
 * none of them before the next commit.
 *
 * <p>Source: AMQP 0-9-1, class tx.
 */
final class Transaction {
  /** A message that waits for the commit. */
  record Publish(Message message, Route<Queue> route, List<String> replyNames, boolean mandatory) {
    /**
     * Returns the route at the commit: the queues whose names it was routed to when it was
     * published.
     */
    Route<Queue> routeIn(RoutingTable<Queue> table) {
      return route.map(queue -> table.queue(queue.name()));
    }
  }

  /** How a client settles a delivery. */
  enum Verdict {
    ACKNOWLEDGE,
    REJECT,
    /** Requeued without a reason. */
    REQUEUE,
    /** Requeued as the consumer could not process it. */
    FAIL;

    boolean returns() {
      return this == REQUEUE || this == FAIL;
    }
  }

  /** About how many bytes a publish takes beside its content. */
  private static final int PUBLISH_BYTES = 200;

  /** About how many bytes a verdict takes. */
  private static final int VERDICT_BYTES = 100;

  private final long most;
  private final LongConsumer held;
  private List<Publish> publishes = new ArrayList<>();
  private SortedMap<Long, Verdict> verdicts = new TreeMap<>();
  private long bytes;

  /**
   * @param most bytes that it may hold
   * @param held is told how many bytes more are held, or fewer
   */
  Transaction(long most, LongConsumer held) {
    this.most = most;
    this.held = held;
  }

  /**
   * Adds a message.
   *
   * @throws ChannelException 406 if the transaction is too large then
   */
  void publish(Publish publish) {
    hold(publish.message().content().length + PUBLISH_BYTES);
    publishes.add(publish);
  }

  /**
   * Records the verdict on a delivery.
   *
   * @throws ChannelException 406 if the transaction is too large then
   */
  void settle(long deliveryTag, Verdict verdict) {
    hold(VERDICT_BYTES);
    verdicts.put(deliveryTag, verdict);
  }

  private void hold(long more) {
    if (bytes + more > most) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "transaction size %d is larger than configured max size %d"
              .formatted(bytes + more, most));
    }
    bytes += more;
    held.accept(more);
  }

  /** Returns about how many bytes of memory it takes. */
  long bytes() {
    return bytes;
  }

  /** Forgets everything. */
  void rollback() {
    takePublishes();
    takeVerdicts();
  }

  private void release(long fewer) {
    bytes -= fewer;
    held.accept(-fewer);
  }

  /** Returns whether a delivery has its verdict already. */
  boolean hasSettled(long deliveryTag) {
    return verdicts.containsKey(deliveryTag);
  }

  int publishCount() {
    return publishes.size();
  }

  int verdictCount() {
    return verdicts.size();
  }

  List<Publish> takePublishes() {
    List<Publish> taken = publishes;
    publishes = new ArrayList<>();
    release(bytes - verdicts.size() * (long) VERDICT_BYTES);
    return taken;
  }

  SortedMap<Long, Verdict> takeVerdicts() {
    SortedMap<Long, Verdict> taken = verdicts;
    verdicts = new TreeMap<>();
    release(taken.size() * (long) VERDICT_BYTES);
    return taken;
  }

  /** Counts the reports of the queues that a commit publishes to. */
  static final class Outcome implements PublishListener {
    private final CompletableFuture<Boolean> allAccepted = new CompletableFuture<>();
    private int waitingFor;
    private boolean accepted = true;

    Outcome(int reports) {
      waitingFor = reports;
      if (reports == 0) {
        allAccepted.complete(true);
      }
    }

    @Override
    public void settled(long publishSequence, boolean taken) {
      accepted &= taken;
      if (--waitingFor == 0) {
        allAccepted.complete(accepted);
      }
    }

    /**
     * Returns a future that is done when all queues have reported; its value is whether none has
     * refused.
     */
    CompletableFuture<Boolean> allAccepted() {
      return allAccepted;
    }
  }
}
