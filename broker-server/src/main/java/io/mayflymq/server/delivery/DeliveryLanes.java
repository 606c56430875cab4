package io.mayflymq.server.delivery;

import io.mayflymq.core.runtime.Shard;
import java.util.function.Consumer;

/** The lanes to one connection, one from each shard that has delivered to it. On its loop only. */
public final class DeliveryLanes {
  private final Shard home;
  private final ConnectionOutput output;
  private final DeliveryLane[] lanes;

  /**
   * Makes none yet.
   *
   * @param home the shard on the connection's loop
   * @param output where they end
   * @param shards how many shards there are
   */
  public DeliveryLanes(Shard home, ConnectionOutput output, int shards) {
    this.home = home;
    this.output = output;
    this.lanes = new DeliveryLane[shards];
  }

  /** The lane from a shard. */
  public DeliveryLane from(Shard shard) {
    DeliveryLane lane = lanes[shard.index()];
    if (lane == null) {
      lane = new DeliveryLane(shard, home, output);
      lanes[shard.index()] = lane;
    }
    return lane;
  }

  /** Does something with each lane that there is. */
  public void forEach(Consumer<DeliveryLane> action) {
    for (DeliveryLane lane : lanes) {
      if (lane != null) {
        action.accept(lane);
      }
    }
  }
}
