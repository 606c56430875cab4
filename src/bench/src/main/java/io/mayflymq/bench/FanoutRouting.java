package io.mayflymq.bench;

import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MessageProperties;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** A fanout exchange; what it costs to store the message in all the queues is not in it. */
public class FanoutRouting extends Measured {
  @Param({"10", "1000"})
  int bindings;

  private RoutingTable<String> table;

  /** Makes the bindings, each to a queue of its own. */
  @Setup
  public void bind() {
    SampleRouting topology = new SampleRouting(ExchangeType.FANOUT);
    for (int i = 0; i < bindings; i++) {
      topology.bind("queue-" + i, "");
    }
    table = topology.table();
  }

  /** The route to all queues. */
  @Benchmark
  public Route<String> route() {
    return table.route(SampleRouting.EXCHANGE, "any", MessageProperties.NONE);
  }
}
