package io.mayflymq.bench;

import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MessageProperties;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** A direct exchange and the default exchange, without the cache of routes of a channel. */
public class DirectRouting extends Measured {
  @Param({"10", "1000", "100000"})
  int bindings;

  private RoutingTable<String> table;
  private RoutingKeys keys;
  private RoutingKeys queues;

  /** Makes the bindings, each to a queue of its own. */
  @Setup
  public void bind() {
    SampleRouting topology = new SampleRouting(ExchangeType.DIRECT);
    for (int i = 0; i < bindings; i++) {
      topology.bind("queue-" + i, "key-" + i);
    }
    table = topology.table();
    keys = new RoutingKeys(bindings, i -> "key-" + i);
    queues = new RoutingKeys(bindings, i -> "queue-" + i);
  }

  /** One key again and again. */
  @Benchmark
  public Route<String> repeatedKey() {
    return table.route(SampleRouting.EXCHANGE, keys.first(), MessageProperties.NONE);
  }

  /** A random key each time. */
  @Benchmark
  public Route<String> changingKeys() {
    return table.route(SampleRouting.EXCHANGE, keys.next(), MessageProperties.NONE);
  }

  /** The default exchange, to a random queue each time. */
  @Benchmark
  public Route<String> defaultExchange() {
    return table.route("", queues.next(), MessageProperties.NONE);
  }
}
