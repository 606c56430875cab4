package io.mayflymq.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of confirms, of acknowledgements and of the disk, as a client notices them. */
@Timeout(300)
class FaultsIT {
  private static final int PATIENCE_MILLIS = 60_000;

  private final MayflyBroker broker = MayflyBroker.start();
  private final BlockingQueue<String> confirms = new LinkedBlockingQueue<>();
  private Client client;

  @BeforeEach
  void connect() throws Exception {
    client = Client.of(broker);
    client.channel.addConfirmListener(
        (number, multiple) -> confirms.add("ack " + number),
        (number, multiple) -> confirms.add("nack " + number));
    client.queue("q", null);
  }

  @AfterEach
  void close() {
    client.close();
    broker.close();
  }

  private String nextConfirm() throws Exception {
    return confirms.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void publish(String body) throws Exception {
    client.channel.basicPublish("", "q", null, body.getBytes(UTF_8));
  }

  /** Returns when the broker has handled what was sent on the channel before, and has answered. */
  private void roundTrip() throws Exception {
    client.channel.queueDeclarePassive("q");
  }

  private GetResponse get() throws Exception {
    return client.channel.basicGet("q", false);
  }

  @Test
  void messagesAreRefusedUntilConfirmsAreRestored() throws Exception {
    broker.refuseConfirms();
    publish("refused");
    assertThat(nextConfirm()).isEqualTo("nack 1");
    assertThat(broker.queue("q").ready()).isZero();

    broker.restoreConfirms();
    publish("taken");
    assertThat(nextConfirm()).isEqualTo("ack 2");
    assertThat(client.take("q")).containsExactly("taken");
  }

  @Test
  void messagesWithoutConfirmsAreNotRefused() throws Exception {
    broker.refuseConfirms();
    try (Channel plain = client.channel.getConnection().createChannel()) {
      plain.basicPublish("", "q", null, new byte[1]);
      plain.queueDeclarePassive("q");
    }
    assertThat(broker.queue("q").ready()).isEqualTo(1);
  }

  @Test
  void delayedConfirmsComeWhenConfirmsAreRestored() throws Exception {
    broker.delayConfirms();
    publish("a");
    publish("b");
    roundTrip();
    assertThat(broker.queue("q").ready()).isEqualTo(2);
    assertThatThrownBy(() -> client.channel.waitForConfirms(50))
        .isInstanceOf(TimeoutException.class);
    assertThat(confirms).isEmpty();

    broker.restoreConfirms();
    assertThat(client.channel.waitForConfirms(PATIENCE_MILLIS)).isTrue();
  }

  @Test
  void droppedConfirmsNeverCome() throws Exception {
    broker.dropConfirms();
    publish("a");
    publish("b");
    roundTrip();
    broker.restoreConfirms();
    publish("c");
    assertThat(nextConfirm()).isEqualTo("ack 3");
    roundTrip();
    assertThat(confirms).isEmpty();
    assertThatThrownBy(() -> client.channel.waitForConfirms(50))
        .isInstanceOf(TimeoutException.class);
    assertThat(client.take("q")).containsExactly("a", "b", "c");
  }

  @Test
  void delayedConfirmsMayBeDroppedThen() throws Exception {
    broker.delayConfirms();
    publish("a");
    roundTrip();
    broker.dropConfirms();
    roundTrip();
    broker.restoreConfirms();
    publish("b");
    assertThat(nextConfirm()).isEqualTo("ack 2");
  }

  @Test
  void delayedAcksAreHandledInOrderWhenAcksAreRestored() throws Exception {
    client.publish("q", "a", "b", "c", "d");
    broker.delayAcks();
    client.channel.basicAck(get().getEnvelope().getDeliveryTag(), false);
    client.channel.basicNack(get().getEnvelope().getDeliveryTag(), false, false);
    client.channel.basicAck(get().getEnvelope().getDeliveryTag(), true);
    roundTrip();
    assertThat(broker.queue("q").unacked()).isEqualTo(3);

    broker.restoreAcks();
    client.channel.basicAck(get().getEnvelope().getDeliveryTag(), true);
    roundTrip();
    assertThat(broker.queue("q").unacked()).isZero();
    assertThat(broker.deaths()).extracting(Death::reason).containsExactly("rejected");
  }

  @Test
  void anAckThatIsWrongFailsItsChannelWhenAcksAreRestored() throws Exception {
    broker.delayAcks();
    client.channel.basicAck(17, false);
    roundTrip();
    BlockingQueue<String> ends = new LinkedBlockingQueue<>();
    client.channel.addShutdownListener(end -> ends.add(end.getMessage()));
    broker.restoreAcks();
    assertThat(ends.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
        .contains("unknown delivery tag 17");
  }

  @Test
  void messagesWhoseAcksWereDroppedAreDeliveredAgain() throws Exception {
    client.publish("q", "a", "b");
    broker.dropAcks();
    client.channel.basicAck(get().getEnvelope().getDeliveryTag(), false);
    roundTrip();
    broker.restoreAcks();
    client.channel.basicAck(get().getEnvelope().getDeliveryTag(), false);
    roundTrip();
    assertThat(broker.queue("q").unacked()).isEqualTo(1);

    broker.dropConnections();
    try (Client again = Client.of(broker)) {
      GetResponse got = again.channel.basicGet("q", true);
      assertThat(got.getBody()).asString().isEqualTo("a");
      assertThat(got.getEnvelope().isRedeliver()).isTrue();
    }
  }

  @Test
  void acksOfTransactionsAreHandled() throws Exception {
    client.publish("q", "a");
    broker.dropAcks();
    try (Channel channel = client.channel.getConnection().createChannel()) {
      channel.txSelect();
      channel.basicAck(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false);
      channel.txCommit();
    }
    assertThat(broker.queue("q").unacked()).isZero();
  }

  @Test
  void aFullDiskBlocksPublishersUntilThereIsRoom() throws Exception {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    client.channel.getConnection().addBlockedListener(told::add, () -> told.add("unblocked"));
    client.publish("q", "before");
    assertThat(nextConfirm()).isEqualTo("ack 1");
    broker.fillDisk();
    publish("waits");
    assertThat(told.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("low on disk");
    assertThat(confirms).isEmpty();
    try (Client consumer = Client.of(broker)) {
      assertThat(consumer.take("q")).containsExactly("before");
      assertThat(consumer.take("q")).isEmpty();
    }

    broker.freeDisk();
    assertThat(told.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo("unblocked");
    assertThat(nextConfirm()).isEqualTo("ack 2");
  }

  @Test
  void aBrokerThatStartsAgainHasNoFault() throws Exception {
    broker.refuseConfirms();
    broker.restart();
    try (Client again = Client.of(broker)) {
      again.queue("q", Map.of());
      again.publish("q", "a");
    }
    assertThat(broker.queue("q").ready()).isEqualTo(1);
  }
}
