package io.mayflymq.it.harness;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * The classes of the jar under test as the virtual machine maps them into memory (class data
 * sharing), so that the hundreds of brokers and commands that tests start take half the processor
 * time to start. Made once for a jar, by a broker that serves a client and ends.
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
    try (BrokerProcess broker =
        BrokerProcess.builder()
            .withoutArchive()
            .jvm("-Xlog:cds=off")
            .jvm("-XX:ArchiveClassesAtExit=" + unfinished)
            .start()) {
      try (Connection connection = broker.factory().newConnection()) {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        channel.queueDeclare("q", true, false, false, null);
        channel.basicPublish("", "q", Amqp.PLAIN, new byte[1]);
        channel.waitForConfirmsOrDie(Patience.MILLIS);
        channel.basicGet("q", true);
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
