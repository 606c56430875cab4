package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Debugger;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Throws an error in each thread of the broker, at its next action. An out-of-memory error ends the
 * process. Another error is contained or ends the process too. No confirmed message is lost.
 */
@Order(1)
@OwnBroker
class ErrorInThreadIT {
  private static final int OUT_OF_MEMORY = 3;
  private static final int FATAL = 70;
  private static final String BROKER = "io.mayflymq.*";
  private static final String LOG = "ch.qos.logback.*";
  private static final int QUEUES = 4;
  private static final Duration STEP = Duration.ofMillis(100);

  /**
   * One of each kind: the threads of the API and of the control command are of one, and so are
   * those of periodic work.
   */
  private static final List<String> THREADS =
      List.of(
          "AsyncAppender-Worker-console",
          "control-io-0",
          "housekeeping",
          "management-0",
          "management-io-0",
          "message log 0",
          "metadata",
          "shard-0",
          "statistics",
          "streams ");

  @TempDir Path data;

  /** The number of confirmed messages. */
  private int confirmed;

  @Test
  void outOfMemoryInAnyThreadEndsTheProcess() throws Exception {
    for (String thread : THREADS) {
      try (DebuggedBroker broker = new DebuggedBroker(data)) {
        useEverything(broker.process, thread.startsWith("control"));
        broker.throwIn(thread, OutOfMemoryError.class);
        assertThat(broker.process.awaitExit())
            .as(broker.debugger.thrownAt())
            .isEqualTo(OUT_OF_MEMORY);
        assertThat(broker.process.output()).anyMatch(line -> line.contains("out of memory"));
      }
    }
    requireKept();
  }

  @Test
  void otherErrorsAreContainedOrEndTheProcess() throws Exception {
    DebuggedBroker broker = new DebuggedBroker(data);
    try {
      for (String thread : THREADS) {
        useEverything(broker.process, thread.startsWith("control"));
        broker.throwIn(thread, LinkageError.class);
        if (!broker.serves()) {
          assertThat(broker.process.awaitExit()).as(broker.debugger.thrownAt()).isEqualTo(FATAL);
          assertThat(broker.process.output()).anyMatch(line -> line.contains("exit code " + FATAL));
          broker.close();
          broker = new DebuggedBroker(data);
        }
      }
    } finally {
      broker.close();
    }
    requireKept();
  }

  private void requireKept() throws Exception {
    try (EmbeddedBroker again = EmbeddedBroker.builder().data(data).set("shards", 2).start();
        Connection connection = again.factory().newConnection();
        Channel channel = connection.createChannel()) {
      long kept = 0;
      for (int queue = 0; queue < QUEUES; queue++) {
        kept += channel.queueDeclarePassive("kept-" + queue).getMessageCount();
      }
      // What was not confirmed any more may be there as well.
      assertThat(kept).isGreaterThanOrEqualTo(confirmed);
    }
  }

  private static BrokerProcess.Builder broker(Path data) {
    return BrokerProcess.builder().data(data).set("shards", 2).set("log.file", "broker.log");
  }

  /** Makes every kind of thread do some work. */
  private void useEverything(BrokerProcess broker, boolean control) throws Exception {
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      channel.confirmSelect();
      // Something for the metadata each time.
      channel.queueDeclare("", true, false, false, null);
      channel.queueDeclare("stream", true, false, false, Map.of("x-queue-type", "stream"));
      for (int queue = 0; queue < QUEUES; queue++) {
        channel.queueDeclare("kept-" + queue, true, false, false, null);
        channel.basicPublish(
            "", "kept-" + queue, MessageProperties.PERSISTENT_BASIC, new byte[100]);
        channel.basicPublish("", "stream", MessageProperties.PERSISTENT_BASIC, new byte[100]);
        channel.waitForConfirmsOrDie(Patience.MILLIS);
        confirmed++;
      }
    }
    // As many as there are threads, so that each gets one.
    for (int request = 0; request < 10; request++) {
      Http.as(broker.httpPort(), "guest", "guest").get("overview");
    }
    if (control) {
      ControlCommand.of(broker).run("list_queues");
    }
  }

  /** A broker that a debugger is attached to. */
  private final class DebuggedBroker implements AutoCloseable {
    private final BrokerProcess process;
    private final Debugger debugger;

    DebuggedBroker(Path data) throws IOException {
      int port = Broker.freePort();
      process = broker(data).jvm(Debugger.option(port)).start();
      debugger = Debugger.attach(port);
    }

    /** Uses the broker until the thread has called a method and got the error. */
    void throwIn(String thread, Class<? extends Throwable> error) throws Exception {
      debugger.throwIn(thread, thread.startsWith("Async") ? LOG : BROKER, error);
      Thread using = startUse(thread);
      Instant end = Instant.now().plus(Patience.TIME);
      while (!debugger.awaitThrown(STEP)) {
        if (!Instant.now().isBefore(end)) {
          throw new AssertionError(thread + " has not called anything" + debugger.stacks());
        }
        if (!using.isAlive()) {
          // Another thread of its kind may have done all of the work.
          using = startUse(thread);
        }
      }
      using.join(Patience.MILLIS);
    }

    private Thread startUse(String thread) {
      Thread using = new Thread(() -> use(thread.startsWith("control")), "use");
      using.start();
      return using;
    }

    private void use(boolean control) {
      try {
        useEverything(process, control);
      } catch (Exception e) {
        // What the thread was to do for the client is not done.
      }
    }

    /** Returns whether the whole broker works; false if it has ended. */
    boolean serves() throws Exception {
      try {
        useEverything(process, false);
        return true;
      } catch (IOException | RuntimeException e) {
        return false;
      }
    }

    @Override
    public void close() {
      debugger.close();
      process.close();
    }
  }
}
