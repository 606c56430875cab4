package io.mayflymq.it.harness;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * The classes of the jar under test as the virtual machine maps them into memory (class data
 * sharing), so that the hundreds of brokers and commands that tests start take half the processor
 * time to start. Made once for a jar, by a broker that serves a client and ends: a cluster of one
 * node, as most of these brokers are nodes of clusters.
 */
final class ClassArchive {
  private static final List<String> OPTIONS = make();

  private ClassArchive() {}

  /** What makes the virtual machine use it. */
  static List<String> options() {
    return OPTIONS;
  }

  private static List<String> make() {
    try {
      Path jar = Broker.jar();
      Path archive =
          Broker.workRoot()
              .resolve(
                  "classes-%s-%d.jsa"
                      .formatted(Runtime.version(), Files.getLastModifiedTime(jar).toMillis()));
      if (!Files.exists(archive)) {
        record(archive);
      }
      // A virtual machine that cannot use it does without, and says nothing.
      return List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto", "-Xlog:cds=off");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void record(Path archive) throws IOException {
    Path unfinished = archive.resolveSibling(archive.getFileName() + ".new");
    String node = "archive@localhost";
    String address = Target.HOST + ":" + Broker.freePort();
    try (BrokerProcess broker =
        BrokerProcess.builder()
            .set("node_name", node)
            .set("cluster.listener", address)
            .set("cluster.secret", "the secret of the archive of classes")
            .set("cluster_formation.classic_config.nodes.1", node + ":" + address)
            .withoutArchive()
            .jvm("-Xlog:cds=off")
            .jvm("-XX:ArchiveClassesAtExit=" + unfinished)
            .start()) {
      try (Connection connection = broker.factory().newConnection()) {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        for (String type : List.of("classic", "quorum")) {
          channel.queueDeclare(type, true, false, false, Map.of("x-queue-type", type));
          channel.basicPublish("", type, Amqp.PLAIN, new byte[1]);
          channel.waitForConfirmsOrDie(Patience.MILLIS);
          channel.basicGet(type, true);
        }
      } catch (TimeoutException e) {
        throw new IOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
    if (Files.exists(unfinished)) {
      Files.move(unfinished, archive);
    }
  }
}
