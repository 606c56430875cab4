package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one node uses is not deleted because others do not use it. */
class ClusterLeasesTest {
  private static final int PERIOD = 1_000;
  private static final int STEP = 50;
  private static final FieldTable EXPIRES = FieldTable.builder().put("x-expires", PERIOD).build();

  private final SimulatedCluster cluster = new SimulatedCluster(3);
  private final Random random = new Random(1);
  private final ExchangeDefinition leased = exchange("leased", EXPIRES);
  private final ExchangeDefinition source = exchange("source", FieldTable.EMPTY);
  private final Binding binding =
      new Binding("source", DestinationKind.EXCHANGE, "source", "k", EXPIRES);

  private static ExchangeDefinition exchange(String name, FieldTable arguments) {
    return new ExchangeDefinition(name, ExchangeType.TOPIC, true, false, false, arguments);
  }

  private VirtualHost vhost(int node) {
    return cluster.nodes.get(node).broker.virtualHost("v");
  }

  @BeforeEach
  void declare() {
    cluster.nodes.get(0).administration.vhosts().put(VhostDefinition.of("v"));
    cluster.settle(random);
    vhost(0).declareExchange(leased, this);
    vhost(0).declareExchange(source, this);
    cluster.settle(random);
    vhost(0).bind(binding, this);
    cluster.settle(random);
  }

  private void advance(int millis) {
    for (int passed = 0; passed < millis; passed += STEP) {
      for (Node node : cluster.nodes) {
        node.loops.advance(STEP);
      }
      cluster.settle(random);
    }
  }

  private void assertThere(boolean there) {
    for (int node = 0; node < cluster.nodes.size(); node++) {
      assertThat(vhost(node).routing().exchange("leased") != null).isEqualTo(there);
      assertThat(vhost(node).routing().contains(binding)).isEqualTo(there);
    }
  }

  @Test
  void unusedOnesAreDeletedOnAllNodes() {
    advance(PERIOD);
    assertThere(true);
    advance(2 * STEP);
    assertThere(false);
  }

  @Test
  void useOfOneNodeKeepsThemOnAll() {
    for (int i = 0; i < 5; i++) {
      advance(PERIOD - STEP);
      vhost(1).declareExchange(leased, this);
      vhost(2).bind(binding, this);
    }
    advance(PERIOD);
    assertThere(true);
    // Each node waits for the end on the others, which a step may make look later.
    advance(4 * STEP);
    assertThere(false);
  }
}
