package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Another node of the cluster, as the home of queues: a link for each shard, opened when it is
 * needed. Any thread may call.
 */
public final class RemoteNode {
  private final String name;
  private final Partitions partitions;
  private final LinkConnector connector;
  private final Map<Integer, Partition> byNumber = new ConcurrentHashMap<>();
  private final Map<Shard, RemoteLink> links = new ConcurrentHashMap<>();

  /**
   * Creates it; nothing is opened yet.
   *
   * @param name of the node, such as {@code b@host}
   * @param partitions of this node: their shards speak to the other one
   * @param connector opens links
   */
  public RemoteNode(String name, Partitions partitions, LinkConnector connector) {
    this.name = name;
    this.partitions = partitions;
    this.connector = connector;
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /**
   * Returns what stands for one of its partitions. The shard is the one of the same number, so that
   * with as many shards on both nodes no further one is needed there.
   */
  Partition partition(int number) {
    return byNumber.computeIfAbsent(
        number,
        added -> {
          int shards = partitions.shards().count();
          return partitions.addRemote(partitions.shards().get(Math.floorMod(added, shards)));
        });
  }

  /** Returns the link of a shard. */
  RemoteLink link(Shard shard) {
    return links.computeIfAbsent(shard, of -> new RemoteLink(name, of, partitions, connector));
  }
}
