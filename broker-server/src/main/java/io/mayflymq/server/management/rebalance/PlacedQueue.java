package io.mayflymq.server.management.rebalance;

/** A queue that can be moved, and the node that it is on. */
record PlacedQueue(String vhost, String name, String node) {
  @Override
  public String toString() {
    return "queue '%s' in vhost '%s'".formatted(name, vhost);
  }
}
