package io.mayflymq.core.vhost.queue;

import java.util.List;

/**
 * The nodes of a replicated queue, as one node sees them now. All lists are in the order of names.
 *
 * @param leader the node that leads it by what the cluster has agreed upon; perhaps it is gone
 * @param epoch how often the queue was given a leader
 * @param members the nodes that keep it
 * @param inSync those of them that have all that was ever committed
 * @param online those of them that can be reached
 */
public record QueueReplicas(
    String leader, long epoch, List<String> members, List<String> inSync, List<String> online) {
  public QueueReplicas {
    members = members.stream().sorted().toList();
    inSync = inSync.stream().sorted().toList();
    online = online.stream().sorted().toList();
  }

  /** Returns whether its leader can be reached. */
  public boolean isLed() {
    return online.contains(leader);
  }

  private int majority() {
    return members.size() / 2 + 1;
  }

  /**
   * Returns the state that lists show: {@code running}, {@code down} without a leader, {@code
   * minority} if so few members can be reached that there can be none.
   *
   * <p>Source: RabbitMQ 3.12, {@code rabbit_quorum_queue:format/2}.
   */
  public String state() {
    if (!online.isEmpty() && online.size() < majority()) {
      return "minority";
    }
    return isLed() ? "running" : "down";
  }

  /** Returns whether the members that are left without a node could not go on. */
  public boolean needs(String node) {
    long others =
        inSync.stream().filter(member -> online.contains(member) && !member.equals(node)).count();
    return members.contains(node) && others < majority();
  }
}
