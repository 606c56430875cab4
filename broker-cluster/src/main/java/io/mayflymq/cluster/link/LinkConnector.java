package io.mayflymq.cluster.link;

import io.mayflymq.core.runtime.Shard;

/** Opens links to other nodes. Any thread may call. */
@FunctionalInterface
public interface LinkConnector {
  /**
   * Opens a link, and opens it again whenever it is lost, until the node is no longer a member.
   *
   * @param node the name of the other node
   * @param shard which the link belongs to
   * @param listener told of each connection, in bursts of the shard
   */
  void connect(String node, Shard shard, LinkListener listener);
}
