package io.mayflymq.bench;

import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MessageProperties;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Measures routing by a topic exchange, without the channel's cache of routes. Of ten bindings
 * seven are literal, two have a star, and one has a hash at the end.
 */
public class TopicRouting extends Measured {
  @Param({"10", "1000", "100000"})
  int bindings;

  private RoutingTable<String> table;
  private RoutingKeys keys;

  /** Makes the bindings, each to a queue of its own. */
  @Setup
  public void bind() {
    SampleRouting topology = new SampleRouting(ExchangeType.TOPIC);
    for (int i = 0; i < bindings; i++) {
      topology.bind("queue-" + i, pattern(i));
    }
    table = topology.table();
    keys = new RoutingKeys(bindings, TopicRouting::key);
  }

  private static String key(int i) {
    return "region" + i % 17 + ".site" + i / 10 + ".device" + i + ".temperature";
  }

  private static String pattern(int i) {
    return switch (i % 10) {
      case 7 -> "region" + i % 17 + ".*.device" + i + ".temperature";
      case 8 -> "*.site" + i / 10 + ".device" + i + ".*";
      case 9 -> "region" + i % 17 + ".site" + i / 10 + ".#";
      default -> key(i);
    };
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
}
