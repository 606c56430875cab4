package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * A headers exchange, whose routes no channel can remember: each message is decoded and compared
 * with each binding.
 */
public class HeadersRouting extends Measured {
  @Param({"10", "1000"})
  int bindings;

  private RoutingTable<String> table;
  private Message message;

  /** Makes the bindings, each to a queue of its own, of which one matches. */
  @Setup
  public void bind() {
    SampleRouting topology = new SampleRouting(ExchangeType.HEADERS);
    for (int i = 0; i < bindings; i++) {
      topology.bind(
          "queue-" + i,
          "",
          FieldTable.builder().put("site", "site-" + i).put("attempt", 3).build());
    }
    table = topology.table();
    FieldTable headers =
        Messages.RICH.headers().toBuilder().put("site", "site-" + bindings / 2).build();
    BasicProperties properties = Messages.RICH.toBuilder().headers(headers).build();
    message = Messages.message(properties, 100, Message.NO_TTL);
  }

  /** Routes the message to the one queue. */
  @Benchmark
  public Route<String> route() {
    return table.route(SampleRouting.EXCHANGE, "", message::properties);
  }
}
