package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.routing.route.Route;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

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

  private List<Publish> publishes = new ArrayList<>();
  private SortedMap<Long, Verdict> verdicts = new TreeMap<>();

  void publish(Publish publish) {
    publishes.add(publish);
  }

  /** Records the verdict on a delivery. */
  void settle(long deliveryTag, Verdict verdict) {
    verdicts.put(deliveryTag, verdict);
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
    return taken;
  }

  SortedMap<Long, Verdict> takeVerdicts() {
    SortedMap<Long, Verdict> taken = verdicts;
    verdicts = new TreeMap<>();
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
