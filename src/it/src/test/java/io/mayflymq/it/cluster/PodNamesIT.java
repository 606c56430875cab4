package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that are pods of a StatefulSet find one another by their names. Each has an address of its
 * own on the loopback interface, by which Java resolves its name.
 */
@OwnBroker
class PodNamesIT {
  private static final String TARGET = "health/checks/reached-target-cluster-size";

  private final int port = Broker.freePort();
  @TempDir Path directory;
  private Path hosts;

  @BeforeEach
  void name() throws Exception {
    hosts =
        Files.write(
            directory.resolve("hosts"),
            IntStream.range(0, 3)
                .mapToObj(pod -> "%s mq-server-%d.mq-nodes".formatted(address(pod), pod))
                .toList());
  }

  private static String address(int pod) {
    return "127.0.1." + (pod + 1);
  }

  private static String nodeName(int pod) {
    return "rabbit@mq-server-%d.mq-nodes".formatted(pod);
  }

  private BrokerProcess launch(int pod, int replicas) {
    return BrokerProcess.builder()
        .jvm("-Djdk.net.hosts.file=" + hosts)
        .environment("RABBITMQ_NODENAME", nodeName(pod))
        .address(address(pod))
        .set("cluster.listener", address(pod) + ":" + port)
        .set("cluster.secret", "of the test")
        .set("cluster_formation.peer_discovery_backend", "kubernetes")
        .set("cluster_formation.target_cluster_size_hint", replicas)
        .set("cluster_formation.discovery_retry_interval", 100)
        .data(directory.resolve("pod" + pod))
        .launch();
  }

  @Test
  void podsBeginTheClusterWithTheFirstAndJoinIt() throws Exception {
    try (BrokerProcess second = launch(1, 2)) {
      second.awaitLine("the cluster is to begin with node '%s'".formatted(nodeName(0)));
      try (BrokerProcess first = launch(0, 2)) {
        first.awaitReady();
        second.awaitReady();
        first.awaitLine("the cluster begins with this node, " + nodeName(0));
        await("both nodes").until(() -> second.http().get(TARGET).status() == 200);
        try (BrokerProcess third = launch(2, 3)) {
          third.awaitReady();
          await("three nodes").until(() -> third.http().get(TARGET).status() == 200);
          assertThat(third.http().get("nodes?columns=name").json().findValuesAsText("name"))
              .containsExactlyInAnyOrder(nodeName(0), nodeName(1), nodeName(2));
        }
      }
    }
  }
}
