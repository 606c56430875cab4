package io.mayflymq.server.channel;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.rate.ConnectionRates;
import java.util.function.Consumer;

/** The links to one connection, one from each shard that has delivered to it. On its loop only. */
public final class DeliveryLinks {
  private final Shard home;
  private final ConnectionOutput output;
  private final DeliveryLink[] links;

  /** Null until the connection is open. */
  private ConnectionRates rates;

  /**
   * Creates the set without links.
   *
   * @param home the shard on the connection's loop
   * @param output the output of the connection
   * @param shards how many shards there are
   */
  public DeliveryLinks(Shard home, ConnectionOutput output, int shards) {
    this.home = home;
    this.output = output;
    this.links = new DeliveryLink[shards];
  }

  /** Sets the rates that deliveries keep to. Before there is any link. */
  public void keepTo(ConnectionRates ofConnection) {
    rates = ofConnection;
  }

  /** Returns the link from a shard, and creates it if necessary. */
  public DeliveryLink from(Shard shard) {
    DeliveryLink link = links[shard.index()];
    if (link == null) {
      link = new DeliveryLink(shard, home, output, rates);
      links[shard.index()] = link;
    }
    return link;
  }

  /** Runs an action for each link. */
  public void forEach(Consumer<DeliveryLink> action) {
    for (DeliveryLink link : links) {
      if (link != null) {
        action.accept(link);
      }
    }
  }
}
