package io.mayflymq.it.fault;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests memory and disk alarms: which connections are blocked, when, how they are notified, and
 * what continues. The alarms are real: a disk limit that is always exceeded, and a heap that is
 * full.
 */
@OwnBroker
class AlarmsIT {
  private static final String DISK_IS_SHORT = "1000000TB";

  /** A broker with a small heap, for the tests that fill it. */
  private static BrokerProcess small;

  @BeforeAll
  static void start() {
    small =
        BrokerProcess.builder()
            .jvm("-Xmx256m")
            .set("vm_memory_high_watermark.absolute", "64MiB")
            // Contents fill the heap up to the watermark; what is there beside them goes beyond.
            .set("vm_memory_high_watermark_paging_ratio", "1.0")
            .set("shards", 1)
            .set("memory_monitor_interval", 50)
            .start();
  }

  @AfterAll
  static void stop() {
    assertThat(small.stop()).isZero();
    assertThat(small.complaints()).isEmpty();
  }

  private static EmbeddedBroker shortOfDisk() {
    return EmbeddedBroker.builder().set("disk_free_limit.absolute", DISK_IS_SHORT).start();
  }

  /** The notifications of a connection: the reasons for which it was blocked, and "unblocked". */
  private static BlockingQueue<String> notices(Connection connection) {
    BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    connection.addBlockedListener(notices::add, () -> notices.add("unblocked"));
    return notices;
  }

  @Test
  void anAlarmBlocksOnlyConnectionsThatPublish() throws Exception {
    try (EmbeddedBroker broker = shortOfDisk();
        Connection consumer = broker.factory().newConnection()) {
      Connection publisher = broker.factory().newConnection();
      BlockingQueue<String> told = notices(publisher);
      BlockingQueue<String> consumerTold = notices(consumer);
      Channel watcher = consumer.createChannel();
      watcher.queueDeclare("q", false, false, false, null);
      Channel channel = publisher.createChannel();
      channel.queueDeclare("q2", false, false, false, null);
      Deliveries onPublisher = Deliveries.from(channel, "q2", true);
      assertThat(told).as("before any publish").isEmpty();

      channel.basicPublish("", "q", PLAIN, bytes("held back"));
      assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("low on disk");
      assertThat(watcher.messageCount("q")).as("waits behind its header").isZero();

      Connection other = broker.factory().newConnection();
      BlockingQueue<String> otherTold = notices(other);
      other.createChannel().basicPublish("", "q2", PLAIN, new byte[0]);
      assertThat(otherTold.poll(Patience.SECONDS, SECONDS)).isEqualTo("low on disk");
      assertThat(onPublisher.next().bytes()).as("deliveries go on").isEmpty();

      for (int i = 0; i < 5; i++) {
        assertThat(watcher.messageCount("q")).isZero();
      }
      assertThat(consumerTold).isEmpty();
      assertThat(told).as("told once").isEmpty();
      publisher.abort(100);
      other.abort(100);
      assertThat(broker.output())
          .filteredOn(line -> line.contains("resource limit alarm"))
          .singleElement()
          .asString()
          .contains("[warning]")
          .contains("disk resource limit alarm set: ")
          .contains(" bytes free, disk_free_limit 1000000000000000000; publishers are blocked");
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void aFullHeapBlocksPublishersUntilConsumersHaveEmptiedIt() throws Exception {
    int before = small.output().size();
    try (Connection publisher = small.factory().newConnection();
        Connection consumer = small.factory().newConnection()) {
      BlockingQueue<String> told = notices(publisher);
      Channel channel = publisher.createChannel();
      channel.queueDeclare("q", false, false, false, null);
      channel.basicPublish("", "q", PLAIN, bytes("before"));
      assertThat(told).isEmpty();

      Flood flood = new Flood(channel);
      assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("low on memory");

      Deliveries deliveries = Deliveries.from(consumer.createChannel(), "q", true);
      // A publisher may block in its socket during an alarm until consumers have freed memory.
      int published = 1 + flood.end();
      for (int i = 0; i < published; i++) {
        deliveries.next();
      }
      assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("unblocked");
      channel.basicPublish("", "q", PLAIN, bytes("after"));
      assertThat(deliveries.next().body()).isEqualTo("after");
      assertThat(told).isEmpty();
      channel.queueDelete("q");
      assertThat(small.output().stream().skip(before))
          .filteredOn(line -> line.contains("resource limit alarm"))
          .satisfiesExactly(
              line -> assertThat(line).contains("memory resource limit alarm set: "),
              line -> assertThat(line).contains("memory resource limit alarm cleared: "));
      assertThat(small.complaints()).isEmpty();
    }
  }

  @Test
  void theBlockedReasonNamesBothAlarms() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set("disk_free_limit.absolute", DISK_IS_SHORT)
            .set("vm_memory_high_watermark.relative", 0)
            .start()) {
      Connection publisher = broker.factory().newConnection();
      BlockingQueue<String> told = notices(publisher);
      publisher.createChannel().basicPublish("", "q", PLAIN, bytes("x"));
      assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("low on disk & memory");
      publisher.abort(100);
    }
  }

  @Test
  void blockedConnectionsGetHeartbeatsAndDoNotTimeOut() throws Exception {
    try (EmbeddedBroker broker = shortOfDisk();
        RawClient client = open(broker, 1, true)) {
      publish(client);
      RawFrame blocked = client.expect(10, 60);
      assertThat(RawFrame.shortString(blocked.arguments())).isEqualTo("low on disk");
      // Sends nothing for five intervals; two would already be too many.
      long start = System.nanoTime();
      int heartbeats = 0;
      while (Time.millisBetween(start, System.nanoTime()) < 5_000) {
        assertThat(client.read().type()).isEqualTo(RawFrame.HEARTBEAT);
        heartbeats++;
      }
      assertThat(heartbeats).isGreaterThan(1);
    }
  }

  @Test
  void afterTheAlarmTheHeartbeatTimeoutAppliesAgain() throws Exception {
    try (Connection other = small.factory().newConnection();
        RawClient client = open(small, 1, true)) {
      Channel channel = other.createChannel();
      channel.queueDeclare("q", false, false, false, null);
      BlockingQueue<String> told = notices(other);
      Flood flood = new Flood(channel);
      long end = System.nanoTime() + SECONDS.toNanos(Patience.SECONDS);
      while (told.isEmpty() && System.nanoTime() < end) {
        client.frame(RawFrame.HEARTBEAT, 0);
        Time.pass(100);
      }
      assertThat(told).containsExactly("low on memory");
      publish(client);
      client.expect(10, 60);
      try (Connection third = small.factory().newConnection()) {
        Channel purger = third.createChannel();
        purger.queuePurge("q");
        flood.end();
        // The data in the sockets has been read meanwhile.
        purger.queuePurge("q");
      }
      client.expect(10, 61);
      long start = System.nanoTime();
      client.readToEnd();
      assertThat(Time.millisBetween(start, System.nanoTime()))
          .isBetween(1_500.0, Patience.FORGOTTEN_MILLIS);
      channel.queueDelete("q");
    }
  }

  @Test
  void aClientWithoutTheBlockedCapabilityIsBlockedToo() throws Exception {
    try (EmbeddedBroker broker = shortOfDisk();
        RawClient client = open(broker, 1, false)) {
      publish(client);
      client.sendChannelOpen(2);
      long start = System.nanoTime();
      while (Time.millisBetween(start, System.nanoTime()) < 3_000) {
        assertThat(client.read().type()).as("nothing is answered").isEqualTo(RawFrame.HEARTBEAT);
      }
    }
  }

  @Test
  void theBrokerNoticesThatABlockedClientHasDisconnected() throws Exception {
    try (EmbeddedBroker broker = shortOfDisk()) {
      RawClient client = open(broker, 0, true);
      publish(client);
      client.expect(10, 60);
      // Bytes that the broker does not read, so that the end of the stream comes behind them.
      client.raw(new byte[4096]);
      client.close();
      await()
          .atMost(Patience.TIME)
          .until(
              () ->
                  broker.output().stream()
                      .anyMatch(line -> line.contains("client unexpectedly closed TCP")));
    }
  }

  @Test
  void aBrokerThatStopsClosesBlockedConnectionsInOrder() throws Exception {
    try (EmbeddedBroker broker = shortOfDisk()) {
      Connection publisher = broker.factory().newConnection();
      BlockingQueue<String> told = notices(publisher);
      BlockingQueue<ShutdownSignalException> ends = new LinkedBlockingQueue<>();
      publisher.addShutdownListener(ends::add);
      publisher.createChannel().basicPublish("", "q", PLAIN, bytes("x"));
      assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("low on disk");
      assertThat(broker.stop()).isZero();
      assertThat(ends.poll(Patience.SECONDS, SECONDS)).hasMessageContaining("CONNECTION_FORCED");
      assertThat(told).isEmpty();
    }
  }

  @Test
  void anAlarmDelaysTransactionsAndConfirms() throws Exception {
    try (EmbeddedBroker broker = shortOfDisk()) {
      ConnectionFactory factory = broker.factory();
      factory.setChannelRpcTimeout(1_000);
      for (String mode : List.of("tx", "confirm")) {
        Connection connection = factory.newConnection();
        BlockingQueue<String> told = notices(connection);
        Channel channel = connection.createChannel();
        if (mode.equals("tx")) {
          channel.txSelect();
        } else {
          channel.confirmSelect();
        }
        BlockingQueue<Long> confirmed = new LinkedBlockingQueue<>();
        channel.addConfirmListener((tag, many) -> confirmed.add(tag), (tag, many) -> {});
        channel.basicPublish("", "nowhere", PLAIN, bytes("x"));
        assertThat(told.poll(Patience.SECONDS, SECONDS)).as(mode).isEqualTo("low on disk");
        assertThat(confirmed.poll(300, MILLISECONDS)).isNull();
        connection.abort(100);
      }
    }
  }

  /** Publishes messages of 64 KiB to the queue {@code q}, in a separate thread. */
  private static final class Flood {
    private final AtomicInteger published = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Thread thread;

    Flood(Channel channel) {
      thread = new Thread(() -> publish(channel), "flood");
      thread.start();
    }

    private void publish(Channel channel) {
      byte[] body = new byte[64 * 1024];
      try {
        while (!ended.get()) {
          channel.basicPublish("", "q", PLAIN, body);
          published.incrementAndGet();
          Time.pass(2);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * Stops the publisher, which may have to wait for the broker, and returns how many messages it
     * has published.
     */
    int end() throws InterruptedException {
      ended.set(true);
      thread.join();
      return published.get();
    }
  }

  private static RawClient open(Broker broker, int heartbeat, boolean listens) throws Exception {
    RawClient client = new RawClient(broker.port());
    client.start();
    RawWriter capabilities =
        new RawWriter().shortString("connection.blocked").uint8('t').uint8(listens ? 1 : 0);
    client.startOk(
        "PLAIN",
        "\0guest\0guest",
        new RawWriter().shortString("capabilities").uint8('F').table(capabilities));
    client.expect(10, 30);
    client.tuneOk(2047, 131_072, heartbeat);
    client.openVirtualHost("/");
    client.channelOpen(1);
    return client;
  }

  private static void publish(RawClient client) throws Exception {
    client.sendPublish(1, "q").sendHeader(1, 2).sendBody(1, (byte) 'h', (byte) 'i');
  }
}
