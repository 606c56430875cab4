package io.mayflymq.server.cluster.link;

import io.mayflymq.cluster.owner.QueueLookup;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;

/** Finds the queues of this node in the virtual hosts of its broker. Any thread may call. */
record BrokerQueues(Broker broker) implements QueueLookup {
  @Override
  public Queue find(String vhost, String name, long id) {
    VirtualHost host = broker.virtualHost(vhost);
    return host == null ? null : host.queueHere(name, id);
  }

  /** Numbers are not reused, so any that is not here may come. */
  @Override
  public boolean mayCome(String vhost, String name, long id) {
    return true;
  }
}
