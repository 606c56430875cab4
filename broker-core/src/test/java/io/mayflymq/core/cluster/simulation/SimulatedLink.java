package io.mayflymq.core.cluster.simulation;

import io.mayflymq.core.link.LinkListener;
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
  private int retryMillis = FIRST_RETRY_MILLIS;

  SimulatedLink(
      SimulatedNetwork network,
      NodeProcess process,
      SimulatedNode target,
      Shard shard,
      LinkListener listener) {
    this.network = network;
    this.process = process;
    this.target = target;
    this.shard = shard;
    this.listener = listener;
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

  void open() {
    network.wantsToOpen(this);
  }

  /** Its turn has come. */
  void tryToOpen() {
    if (network.connect(this, listener, this::openLater)) {
      retryMillis = FIRST_RETRY_MILLIS;
    } else {
      shard.execute(
          () -> {
            listener.lost("unreachable");
            openLater();
          });
    }
  }

  private void openLater() {
    shard.loop().schedule(this::open, retryMillis);
    retryMillis = Math.min(retryMillis * 2, LAST_RETRY_MILLIS);
  }
}
