package io.mayflymq.server.management.resource;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What goes to another node as a whole: a queue, or the leadership of a replicated partition.
 *
 * @param partition the number of the partition; empty for a queue that is not replicated
 * @param queues the queue, or those queues of the partition that are to be rebalanced
 * @param node the name of the node that it is on, or that leads it
 * @param targets the names of the nodes that it can go to
 */
record Placed(OptionalInt partition, List<Queue> queues, String node, Set<String> targets) {
  /**
   * A queue by its names.
   *
   * @param type the name of its type
   */
  record Queue(String vhost, String name, String type) {
    @Override
    public String toString() {
      return "queue '%s' in vhost '%s'".formatted(name, vhost);
    }
  }

  /** Returns for how many queues it is counted. */
  int weight() {
    return queues.size();
  }

  @Override
  public String toString() {
    return partition.isPresent()
        ? "partition %d with %d queues".formatted(partition.getAsInt(), queues.size())
        : queues.get(0).toString();
  }
}
