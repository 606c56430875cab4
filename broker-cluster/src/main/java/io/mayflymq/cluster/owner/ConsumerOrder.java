package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.ConsumerRank;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Gives the consumers of a replicated partition their order at this leader. On the partition's
 * shard.
 *
 * <p>A leader gives each consumer that joins a rank, which the consumer's node keeps, and tells it
 * which one is the single active one of its queue. When another node leads, each node has its
 * consumers join there, and tells their ranks. The nodes come in any order, so the consumers wait
 * until all nodes have sent theirs, or some time is over. Then they join: the active one, the
 * others by their ranks, and those without one in the order in which they came. Higher priorities
 * come before lower ones, as the first one is active if the active one went with its node.
 *
 * <p>So the single active consumer stays the same if its node goes on, and an exclusive one is not
 * kept out by another one that comes first. A queue in which the order only says who is first in
 * turn waits only for a moment, as its consumers get nothing meanwhile; so does one that would be
 * deleted if it were unused for long.
 *
 * <p>Where the priority decides who is active, it comes first, and who was active counts among
 * equals only: no consumer has anything to settle at a new leader, so the highest takes over at
 * once. A consumer is not told that another one has taken over from it, so several of a queue may
 * say that they are active. The one that is has a priority that is higher than theirs, or as high
 * and came before them, as each was replaced by a higher one. So it comes first in either order.
 */
public final class ConsumerOrder {
  /** Nodes that have not come after this time do not delay consumers of most queues. */
  private static final long SHORT_MILLIS = 200;

  /** The same for queues with a single active consumer. */
  private static final long LONG_MILLIS = 2_000;

  private static final int EPOCH_SHIFT = 32;

  private final Shard shard;
  private final Set<String> awaited;
  private final List<Waiting> waiting = new ArrayList<>();
  private final Map<String, Absences> absences = new HashMap<>();
  private long last;
  private boolean isShortOver;
  private boolean isOver;

  /**
   * Begins to wait.
   *
   * @param epoch of this leader, higher than those before
   * @param nodes the names of those that are expected to come
   */
  public ConsumerOrder(Shard shard, long epoch, Collection<String> nodes) {
    this.shard = shard;
    this.last = epoch << EPOCH_SHIFT;
    this.awaited = new HashSet<>(nodes);
    if (awaited.isEmpty()) {
      isOver = true;
    } else {
      after(SHORT_MILLIS, this::endShort);
      after(LONG_MILLIS, this::end);
    }
  }

  private void after(long millis, Runnable task) {
    shard.loop().schedule(() -> shard.run(task), millis);
  }

  /** Returns what makes the consumers of a queue wait. */
  public QueueLifecycle.Arrivals of(Queue queue) {
    return new Waiting(queue);
  }

  private static boolean isLong(QueueSettings settings) {
    long lease = settings.lease().expiresMillis();
    return settings.singleActiveConsumer() && (lease <= 0 || lease > 2 * LONG_MILLIS);
  }

  /** Returns the order as a link of one node needs it. */
  public OfNode of(String node) {
    return new OfNode(this, node);
  }

  /**
   * The order as a link of one node needs it.
   *
   * @param node its name
   */
  public record OfNode(ConsumerOrder all, String node) {
    /** All consumers of the node have come that had joined before. */
    void complete() {
      all.complete(node);
    }

    Absences absences() {
      return all.absencesOf(node);
    }
  }

  /** Returns for how long consumers of a node are waited for that was lost. */
  private Absences absencesOf(String node) {
    return absences.computeIfAbsent(node, any -> new Absences());
  }

  /** Nothing more is to be expected of a node. */
  public void complete(String node) {
    if (awaited.remove(node) && awaited.isEmpty()) {
      end();
    }
  }

  /** Returns the rank of a consumer that joins now. */
  ConsumerRank next() {
    last++;
    return new ConsumerRank(false, last);
  }

  private void endShort() {
    isShortOver = true;
    joinAll(queue -> !queue.isLong);
  }

  private void end() {
    if (!isOver) {
      isOver = true;
      joinAll(queue -> true);
    }
  }

  private void joinAll(Predicate<Waiting> choice) {
    List<Waiting> over = waiting.stream().filter(choice).toList();
    waiting.removeAll(over);
    over.forEach(Waiting::joinAll);
  }

  private record Arrival(ConsumerRank rank, Consumer consumer, Runnable join) {
    private static final Comparator<Arrival> BY_PRIORITY =
        Comparator.comparing((Arrival arrival) -> !arrival.rank.isKnown())
            .thenComparing(arrival -> arrival.consumer.priority(), Comparator.reverseOrder())
            .thenComparing(arrival -> !arrival.rank.active())
            .thenComparing(arrival -> arrival.rank.number());

    private static final Comparator<Arrival> BY_ACTIVITY =
        Comparator.comparing((Arrival arrival) -> !arrival.rank.active())
            .thenComparing(BY_PRIORITY);

    static Comparator<Arrival> order(QueueSettings settings) {
      return settings.deliveries().activeByPriority() ? BY_PRIORITY : BY_ACTIVITY;
    }
  }

  /** The consumers of one queue. */
  private final class Waiting implements QueueLifecycle.Arrivals {
    private final Queue queue;
    private final boolean isLong;
    private final List<Arrival> arrivals = new ArrayList<>(0);

    Waiting(Queue queue) {
      this.queue = queue;
      this.isLong = isLong(queue.definition().settings());
    }

    @Override
    public boolean isOver() {
      return isOver || (isShortOver && !isLong);
    }

    @Override
    public void come(Consumer consumer, Runnable join) {
      if (arrivals.isEmpty()) {
        waiting.add(this);
      }
      ConsumerRank rank =
          consumer.outlet() instanceof OwnerConsumer remote ? remote.rank() : ConsumerRank.NONE;
      arrivals.add(new Arrival(rank, consumer, join));
    }

    @Override
    public boolean leave(Consumer consumer) {
      return arrivals.removeIf(arrival -> arrival.consumer == consumer);
    }

    void joinAll() {
      List<Arrival> all = new ArrayList<>(arrivals);
      arrivals.clear();
      all.sort(Arrival.order(queue.settings()));
      all.forEach(arrival -> arrival.join.run());
    }
  }
}
