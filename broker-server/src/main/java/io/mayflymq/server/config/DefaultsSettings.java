package io.mayflymq.server.config;

import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.message.IncomingStamps;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.QueueType;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/**
 * The initial content of an empty data directory: one virtual host with its policies, and one user
 * with permissions there. And the defaults for new virtual hosts and queues.
 *
 * @param configure a regular expression over the names that the user may declare and delete
 * @param write a regular expression over the names that the user may publish to
 * @param read a regular expression over the names that the user may consume from
 * @param ofVhosts the policies and limits that each new virtual host is given
 * @param queueType the type of a queue that is declared without one
 * @param timeStamps whether a time that a publisher has put into a message is replaced; empty if
 *     none is put there
 * @param nodeStamps the same of the name of the node
 * @param objects the defaults for queues and exchanges without a setting of their own
 */
public record DefaultsSettings(
    String vhost,
    String user,
    String password,
    Set<String> tags,
    String configure,
    String write,
    String read,
    VhostDefaults ofVhosts,
    QueueType queueType,
    Optional<Boolean> timeStamps,
    Optional<Boolean> nodeStamps,
    Defaults objects) {
  /**
   * Returns what is put into messages before they are routed; null for nothing.
   *
   * @param node the name of this node
   */
  public IncomingStamps stamps(String node, InstantSource clock) {
    return timeStamps.isEmpty() && nodeStamps.isEmpty()
        ? null
        : new IncomingStamps(timeStamps, nodeStamps, node, clock);
  }

  @Override
  public String toString() {
    return "DefaultsSettings[vhost=%s, user=%s, tags=%s]".formatted(vhost, user, tags);
  }
}
