package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests RabbitMQ's unchanged {@code rabbitmqadmin}, if it is installed. */
@BlackBox
class RabbitmqadminIT {
  private Path script;
  private int port;

  @BeforeEach
  void find(Target target) {
    port = target.httpPort();
    script =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(directory -> Path.of(directory, "rabbitmqadmin"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeTrue(script != null, "rabbitmqadmin is not installed");
  }

  private String run(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("python3", script.toString(), "-P", Integer.toString(port)));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  void rabbitmqadminDeclaresPublishesAndGets(Amqp amqp) throws Exception {
    String queue = amqp.name();
    String exchange = amqp.name();
    assertThat(
            run(
                "declare",
                "queue",
                "name=" + queue,
                "durable=false",
                "arguments={\"x-message-ttl\":60000}"))
        .isEqualTo("queue declared");
    assertThat(run("declare", "exchange", "name=" + exchange, "type=topic", "durable=false"))
        .isEqualTo("exchange declared");
    assertThat(
            run(
                "declare",
                "binding",
                "source=" + exchange,
                "destination=" + queue,
                "routing_key=a.*"))
        .isEqualTo("binding declared");
    assertThat(run("publish", "exchange=" + exchange, "routing_key=a.b", "payload=hello"))
        .isEqualTo("Message published");
    assertThat(run("publish", "exchange=" + exchange, "routing_key=c", "payload=hello"))
        .isEqualTo("Message published but NOT routed");
    assertThat(run("-f", "tsv", "get", "queue=" + queue, "ackmode=ack_requeue_false"))
        .contains("hello")
        .contains(exchange);
    assertThat(run("purge", "queue", "name=" + queue)).isEqualTo("queue purged");
    assertThat(
            run(
                "delete",
                "binding",
                "source=" + exchange,
                "destination_type=queue",
                "destination=" + queue,
                "properties_key=a.*".replace("*", "%2A")))
        .isEqualTo("binding deleted");
    assertThat(run("delete", "queue", "name=" + queue)).isEqualTo("queue deleted");
    assertThat(run("delete", "exchange", "name=" + exchange)).isEqualTo("exchange deleted");
  }

  @Test
  void rabbitmqadminListsObjects(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    assertThat(run("-f", "bash", "list", "queues", "name")).contains(queue);
    assertThat(run("-f", "tsv", "list", "exchanges", "name", "type")).contains("amq.topic\ttopic");
    assertThat(run("-f", "tsv", "list", "bindings", "destination")).contains(queue);
    assertThat(run("-f", "tsv", "list", "users", "name")).contains("guest");
    assertThat(run("-f", "tsv", "list", "vhosts", "name")).contains("/");
    assertThat(run("-f", "tsv", "list", "permissions", "user", "vhost")).contains("guest\t/");
    assertThat(run("-f", "tsv", "list", "nodes", "name")).contains("@");
    assertThat(run("-f", "tsv", "list", "connections", "protocol")).contains("AMQP 0-9-1");
    assertThat(run("-f", "tsv", "list", "channels", "number")).isNotEmpty();
    amqp.consume(queue);
    Awaitility.await("the consumer is listed")
        .atMost(Patience.TIME)
        .until(
            () -> run("-f", "tsv", "list", "consumers", "consumer_tag", "prefetch_count"),
            list -> list.startsWith("consumer_tag\tprefetch_count\n"));
    assertThat(run("show", "overview")).contains("@");
  }
}
