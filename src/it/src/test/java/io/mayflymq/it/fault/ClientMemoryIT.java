package io.mayflymq.it.fault;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.awaitShutdown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What clients have begun and not finished, and keep open, takes a limited part of the memory. */
@OwnBroker
class ClientMemoryIT {
  private static final int MIB = 1 << 20;
  private static final int MOST = 8 * MIB;
  private static final int MOST_OF_TRANSACTION = 6 * MIB;

  private static EmbeddedBroker broker;

  private Connection connection;
  private Connection other;

  @BeforeAll
  static void start() {
    // An embedded broker has the heap of the tests.
    double part = (double) MOST / Runtime.getRuntime().maxMemory();
    broker =
        EmbeddedBroker.builder()
            .set("max_transaction_size", MOST_OF_TRANSACTION)
            .set("client_memory_limit.relative", "%.9f".formatted(part))
            .start();
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  @BeforeEach
  void connect() throws Exception {
    connection = broker.factory().newConnection();
    other = broker.factory().newConnection();
    connection.createChannel().queueDeclare("q", false, false, false, null);
  }

  @AfterEach
  void disconnect() throws Exception {
    connection.createChannel().queueDelete("q");
    connection.close();
    other.close();
    await().atMost(Patience.TIME).until(() -> vhostMemory() == 0);
  }

  private static long vhostMemory() throws Exception {
    return broker.http().get("vhosts/%2F").json().path("memory").longValue();
  }

  private static Channel transaction(Connection of, int mib) throws Exception {
    Channel channel = of.createChannel();
    channel.txSelect();
    publish(channel, mib);
    return channel;
  }

  private static void publish(Channel channel, int mib) throws Exception {
    for (int i = 0; i < mib; i++) {
      channel.basicPublish("", "q", PLAIN, new byte[MIB]);
    }
  }

  /** Waits until everything has been read that was sent before. */
  private static long messages(Channel channel) throws Exception {
    return channel.messageCount("q");
  }

  private static void assertGivenUp(Channel channel) {
    AMQP.Channel.Close close = (AMQP.Channel.Close) awaitShutdown(channel).getReason();
    assertThat(close.getReplyCode()).isEqualTo(406);
    assertThat(close.getReplyText())
        .startsWith("PRECONDITION_FAILED - transaction of ")
        .contains(" bytes was given up: ");
    assertThat(channel.getConnection().isOpen()).isTrue();
  }

  @Test
  void aTransactionThatIsTooLargeClosesItsChannelAndIsNotDone() throws Exception {
    Channel channel = transaction(connection, 5);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - transaction size 6292668 is larger than configured max size 6291456",
        () -> publish(channel, 1));
    Channel next = transaction(connection, 5);
    assertThat(messages(next)).as("of the first one").isZero();
    next.txCommit();
    assertThat(messages(next)).isEqualTo(5);
    publish(next, 5);
    next.txRollback();
    publish(next, 5);
    next.txCommit();
    assertThat(messages(next)).isEqualTo(10);
  }

  @Test
  void theLargestTransactionIsGivenUpForThoseOfOthers() throws Exception {
    Channel small = transaction(connection, 2);
    Channel large = transaction(connection, 4);
    assertThat(messages(large)).isZero();
    Channel others = transaction(other, 3);
    assertGivenUp(large);
    assertThat(messages(others)).isZero();
    others.txCommit();
    small.txCommit();
    assertThat(messages(small)).isEqualTo(5);
  }

  @Test
  void manyTransactionsOfAConnectionAreGivenUpUntilThereIsRoom() throws Exception {
    Channel[] channels = new Channel[14];
    for (int i = 0; i < channels.length; i++) {
      channels[i] = transaction(connection, 1);
    }
    Channel others = transaction(other, 3);
    assertThat(messages(others)).isZero();
    others.txCommit();
    assertThat(vhostMemory()).isLessThanOrEqualTo(MOST);
    assertThat(channels).filteredOn(channel -> !channel.isOpen()).hasSizeGreaterThanOrEqualTo(6);
  }

  /** A client that has only said how large its messages are to be holds nothing of that size. */
  @Test
  void headersOfLargeMessagesTakeLittle() throws Exception {
    try (RawClient raw = RawClient.openChannel(broker.port())) {
      int channels = 100;
      for (int channel = 2; channel <= channels; channel++) {
        raw.channelOpen(channel);
      }
      for (int channel = 1; channel <= channels; channel++) {
        raw.sendPublish(channel, "q").sendHeader(channel, 100 * MIB);
      }
      raw.assertAlive(channels + 1);
      assertThat(vhostMemory()).isPositive().isLessThan(3 * MIB);
    }
  }

  @Test
  void anIncompleteMessageIsGivenUpForTransactions() throws Exception {
    try (RawClient raw = RawClient.openChannel(broker.port())) {
      raw.sendPublish(1, "q").sendHeader(1, 100 * MIB);
      byte[] piece = new byte[100_000];
      for (int i = 0; i < 30; i++) {
        raw.sendBody(1, piece);
      }
      await().atMost(Patience.TIME).until(() -> vhostMemory() >= 3 * MIB);
      Channel first = transaction(connection, 2);
      assertThat(messages(first)).isZero();
      Channel channel = transaction(other, 3);
      assertThat(messages(channel)).isZero();
      raw.expectChannelClose(1, 406);
      channel.txCommit();
      assertThat(messages(channel)).isEqualTo(3);
    }
  }

  @Test
  void memoryIsShownByConnectionAndVirtualHost() throws Exception {
    Channel channel = transaction(connection, 2);
    assertThat(messages(channel)).isZero();
    assertThat(vhostMemory()).isBetween(2L * MIB, 3L * MIB);
    assertThat(broker.http().get("connections").json())
        .extracting(shown -> shown.path("memory").longValue())
        .anyMatch(bytes -> bytes >= 2 * MIB)
        .anyMatch(bytes -> bytes > 4_000 && bytes < 20_000);
    assertThat(ControlCommand.of(broker).run("list_connections", "memory").out())
        .anyMatch(line -> line.matches("2\\d{6}"));
    channel.txRollback();
    assertThat(vhostMemory()).isLessThan(100_000);
  }

  @Test
  void consumersAreRefusedWhenTheyTakeTooMuch() throws Exception {
    Map<String, Object> arguments = Map.of("x-a", "y".repeat(100_000));
    Channel[] channels = new Channel[10];
    for (int i = 0; i < channels.length; i++) {
      channels[i] = connection.createChannel();
    }
    int consumers = 0;
    while (vhostMemory() < MOST - 2 * MIB) {
      for (Channel channel : channels) {
        channel.basicConsume(
            "q", false, "c" + consumers++, false, false, arguments, (t, d) -> {}, t -> {});
      }
    }
    assertThat(consumers).isGreaterThan(40);
    AlreadyClosedException refused =
        assertThrows(
            AlreadyClosedException.class,
            () -> {
              for (int i = 0; i < 100; i++) {
                Channel channel = channels[i % channels.length];
                try {
                  channel.basicConsume(
                      "q", false, "", false, false, arguments, (t, d) -> {}, t -> {});
                } catch (IOException closed) {
                  channel.basicQos(1);
                }
              }
            });
    assertThat(refused.getMessage())
        .contains("reply-code=406")
        .contains(
            "PRECONDITION_FAILED - cannot consume from queue 'q': all clients keep more than ");
    assertThat(connection.isOpen()).isTrue();
    Channel others = transaction(other, 1);
    others.txCommit();
  }

  @Test
  void channelsAreRefusedWhenTheyTakeTooMuch() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      connection.createChannel();
    }
    IOException refused =
        assertThrows(
            IOException.class,
            () -> {
              for (int i = 0; i < 1_500; i++) {
                other.createChannel();
              }
            });
    ShutdownSignalException closed = (ShutdownSignalException) refused.getCause();
    assertThat(((AMQP.Connection.Close) closed.getReason()).getReplyText())
        .matches(
            "NOT_ALLOWED - cannot open channel \\d+: all clients keep more than \\d+ bytes open, and those"
                + " of vhost '/' the most");
    assertThat(connection.isOpen()).isTrue();
    other = broker.factory().newConnection();
  }
}
