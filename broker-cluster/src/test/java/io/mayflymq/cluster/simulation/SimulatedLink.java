package io.mayflymq.cluster.simulation;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.core.runtime.Shard;

/** A link to another node, which is opened again whenever it is lost, as by the daemon. */
final class SimulatedLink {
  private static final int FIRST_RETRY_MILLIS = 100;
  private static final int LAST_RETRY_MILLIS = 2_000;

  private final SimulatedNetwork network;
  private final NodeProcess process;
  private final SimulatedNode target;
  private final Shard shard;
  private final LinkListener listener;
  private final PartitionService service;
  private SimulatedConnection.Side side;
  private boolean ended;
  private int retryMillis = FIRST_RETRY_MILLIS;

  /**
   * Creates a link that is not open.
   *
   * @param service what it is for; null for the queues of the node
   */
  SimulatedLink(
      SimulatedNetwork network,
      NodeProcess process,
      SimulatedNode target,
      Shard shard,
      LinkListener listener,
      PartitionService service) {
    this.network = network;
    this.process = process;
    this.target = target;
    this.shard = shard;
    this.listener = listener;
    this.service = service;
  }

  NodeProcess process() {
    return process;
  }

  SimulatedNode target() {
    return target;
  }

  Shard shard() {
    return shard;
  }

  /** Returns what it is for; null for the queues of the node. */
  PartitionService service() {
    return service;
  }

  /** Returns the other side of a connection to a process. */
  SimulatedConnection.Side farSide(NodeProcess at) {
    if (service == null) {
      Shard farShard = at.shards().get(shard.index() % at.shards().count());
      return new SimulatedConnection.Side(at, farShard, at.homeLink(farShard), () -> {});
    }
    return new SimulatedConnection.Side(at, service.shard(at), service.listener(at), () -> {});
  }

  void open() {
    if (!ended) {
      network.wantsToOpen(this);
    }
  }

  /** Its turn has come. */
  void tryToOpen() {
    if (ended) {
      return;
    }
    side = new SimulatedConnection.Side(process, shard, listener, this::openLater);
    if (network.connect(this, side)) {
      retryMillis = FIRST_RETRY_MILLIS;
    } else {
      side = null;
      shard.execute(
          () -> {
            listener.lost("unreachable");
            openLater();
          });
    }
  }

  /** Ends it for good. */
  void end() {
    ended = true;
    if (side != null) {
      side.close("the connection is not needed any more");
    }
  }

  private void openLater() {
    side = null;
    if (!ended) {
      shard.loop().schedule(this::open, retryMillis);
      retryMillis = Math.min(retryMillis * 2, LAST_RETRY_MILLIS);
    }
  }
}
