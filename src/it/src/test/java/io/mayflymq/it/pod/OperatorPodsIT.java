package io.mayflymq.it.pod;

import static io.mayflymq.it.pod.OperatorCluster.nodeName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.SystemCommand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pods of RabbitMQ's cluster operator run MayflyMQ: they form a cluster, take the operator's
 * commands, are replaced one after the other, get another one, and end.
 *
 * <p>Source of the steps: version 2.22 of the operator, {@code internal/resource/statefulset.go}
 * and {@code internal/controller/reconcile_cli.go}, {@code reconcile_status.go} and {@code
 * deprecated_feature_controller.go}. Needs Linux, root, iproute2, and the image, which {@code
 * -Ppackages} makes.
 */
@OwnBroker
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Order(1)
class OperatorPodsIT {
  private static final int REPLICAS = 3;

  @TempDir Path directory;
  private OperatorCluster cluster;

  @BeforeEach
  void prepare() throws Exception {
    cluster = OperatorCluster.in(directory, REPLICAS + 1);
  }

  @AfterEach
  void close() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void launch(int ordinal, int replicas, String... plugins) throws Exception {
    Pod pod = cluster.create(ordinal, replicas, plugins);
    pod.runInitContainer();
    pod.start();
  }

  private void startAll() throws Exception {
    for (int pod = 0; pod < REPLICAS; pod++) {
      launch(pod, REPLICAS);
    }
    for (int pod = 0; pod < REPLICAS; pod++) {
      cluster.pod(pod).awaitReady();
    }
  }

  private static void assertDone(SystemCommand.Outcome outcome) {
    assertThat(outcome.refusal()).as(outcome.output()).isNull();
  }

  private static void publish(Connection connection, String body) throws Exception {
    try (Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      channel.basicPublish("", "q", RestartedBroker.PERSISTENT, Amqp.bytes(body));
      channel.waitForConfirmsOrDie(Patience.MILLIS);
    }
  }

  @Test
  void podsOfTheClusterOperatorAreAClusterThatIsReplacedAndGrows() throws Exception {
    startAll();
    assertMembers(0, REPLICAS);
    assertTheOperatorIsAnswered();
    List<String> published = new ArrayList<>();
    try (Connection connection = cluster.pod(0).factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum"));
      publish(connection, "before");
      published.add("before");
    }

    // A rolling update begins with the last one.
    for (int pod = REPLICAS - 1; pod >= 0; pod--) {
      cluster.delete(pod);
      String body = "without " + pod;
      try (Connection elsewhere = cluster.pod((pod + 1) % REPLICAS).factory().newConnection()) {
        publish(elsewhere, body);
        published.add(body);
      }
      launch(pod, REPLICAS);
      cluster.pod(pod).awaitReady();
    }
    assertDone(cluster.pod(0).exec("sh", "-c", "rabbitmq-queues rebalance all"));

    launch(REPLICAS, REPLICAS + 1);
    cluster.pod(REPLICAS).awaitReady();
    assertMembers(REPLICAS, REPLICAS + 1);
    try (Connection connection = cluster.pod(REPLICAS).factory().newConnection();
        Channel channel = connection.createChannel()) {
      for (String body : published) {
        assertThat(channel.basicGet("q", true).getBody()).asString().isEqualTo(body);
      }
    }

    // The cluster is deleted: all pods at once, and none waits for another one.
    for (int pod = 0; pod <= REPLICAS; pod++) {
      cluster.pod(pod).skipPreStopChecks();
    }
    for (int pod = 0; pod <= REPLICAS; pod++) {
      cluster.delete(pod);
    }
  }

  private void assertMembers(int asked, int size) throws Exception {
    Http api = cluster.pod(asked).api();
    await("%d members".formatted(size))
        .untilAsserted(
            () -> {
              List<String> names = new ArrayList<>();
              api.get("nodes?columns=name,running")
                  .json()
                  .forEach(
                      node -> {
                        assertThat(node.get("running").booleanValue()).isTrue();
                        names.add(node.get("name").textValue());
                      });
              List<String> expected = new ArrayList<>();
              for (int pod = 0; pod < size; pod++) {
                expected.add(nodeName(pod));
              }
              assertThat(names).containsExactlyInAnyOrderElementsOf(expected);
            });
  }

  /** What the operator asks and does when all pods are ready. */
  private void assertTheOperatorIsAnswered() throws Exception {
    for (int ordinal = 0; ordinal < REPLICAS; ordinal++) {
      Http api = cluster.pod(ordinal).api();
      await("node is not critical")
          .until(() -> api.get("health/checks/node-is-quorum-critical").status() == 200);
      String plugins = String.join(" ", OperatorCluster.plugins());
      assertDone(cluster.pod(ordinal).exec("sh", "-c", "rabbitmq-plugins set " + plugins));
    }
    Pod first = cluster.pod(0);
    assertDone(first.exec("bash", "-c", "rabbitmqctl enable_feature_flag all"));
    assertDone(first.exec("sh", "-c", "rabbitmq-queues rebalance all"));
    Http.Reply overview = first.api().get("overview");
    assertThat(overview.json().get("rabbitmq_version").textValue()).matches("[0-9]+\\.[0-9]+.*");
    assertThat(overview.json().get("cluster_name").textValue()).isEqualTo("mq");
    assertThat(first.api().get("deprecated-features/used").json()).isEmpty();
    assertDone(first.exec("check-health"));
  }

  @Test
  void whatAPodAsksForAndDoesNotGetIsSaid() throws Exception {
    launch(0, 1, "rabbitmq_mqtt", "rabbitmq_shovel");
    Pod pod = cluster.pod(0);
    pod.awaitReady();
    assertThat(pod.log())
        .contains("/operator/enabled_plugins: MayflyMQ has no plugin rabbitmq_mqtt")
        .doesNotContain("no plugin rabbitmq_shovel")
        .contains("key 'cluster_formation.k8s.host' has no effect")
        .contains("key 'cluster_partition_handling' has no effect");
    SystemCommand.Outcome refused =
        pod.exec("sh", "-c", "rabbitmq-plugins set rabbitmq_management rabbitmq_mqtt");
    assertThat(refused.refusal()).contains("MayflyMQ has no plugin rabbitmq_mqtt");
    // A single node needs no other one to end.
    cluster.delete(0);
  }
}
