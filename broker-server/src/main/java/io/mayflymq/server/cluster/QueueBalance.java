package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Spreads new queues over the nodes. As long as there are few queues, they are counted; where there
 * are many, chance spreads them well enough, as in RabbitMQ.
 */
final class QueueBalance {
  private static final int MOST_COUNTED = 1_000;

  private final String self;
  private final Broker broker;
  private final Supplier<List<ClusterMember>> candidates;

  /**
   * @param self the name of this node
   * @param candidates the members that a queue may be on, at least one
   */
  QueueBalance(String self, Broker broker, Supplier<List<ClusterMember>> candidates) {
    this.self = self;
    this.broker = broker;
    this.candidates = candidates;
  }

  /** Returns the number of a member with the fewest queues. */
  int leastLoaded() {
    List<ClusterMember> members = candidates.get();
    int first = ThreadLocalRandom.current().nextInt(members.size());
    int queues =
        broker.virtualHosts().stream().mapToInt(vhost -> vhost.routing().queueCount()).sum();
    if (queues >= MOST_COUNTED) {
      return members.get(first).number();
    }
    Map<String, Integer> counts = counts();
    // Of equals the first one from a random place on.
    return IntStream.range(0, members.size())
        .mapToObj(i -> members.get((first + i) % members.size()))
        .min(Comparator.comparingInt(member -> counts.getOrDefault(member.name(), 0)))
        .orElseThrow()
        .number();
  }

  private Map<String, Integer> counts() {
    Map<String, Integer> counts = new HashMap<>();
    for (VirtualHost vhost : broker.virtualHosts()) {
      for (Queue queue : vhost.routing().queues()) {
        counts.merge(nodeOf(queue), 1, Integer::sum);
      }
    }
    return counts;
  }

  private String nodeOf(Queue queue) {
    return queue.isHere() ? self : queue.home().node();
  }
}
