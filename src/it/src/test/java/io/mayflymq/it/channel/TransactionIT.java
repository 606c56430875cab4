package io.mayflymq.it.channel;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.text;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Tests transactions: publishes and acknowledgements take effect at the commit, or not at all. */
@BlackBox
class TransactionIT {

  @Test
  void publishesAreHeldUntilTheCommit(Amqp amqp) throws Exception {
    String one = amqp.queue();
    String two = amqp.queue();
    Channel channel = amqp.channel();
    channel.txSelect();
    channel.basicPublish("", one, PLAIN, bytes("a"));
    channel.basicPublish("", two, PLAIN, bytes("b"));
    channel.basicPublish("", one, PLAIN, bytes("c"));
    assertThat(channel.messageCount(one)).isZero();
    channel.txCommit();
    assertThat(amqp.drain(one)).containsExactly("a", "c");
    assertThat(amqp.drain(two)).containsExactly("b");
  }

  @Test
  void aRollbackDiscardsPublishes(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.txSelect();
    channel.basicPublish("", queue, PLAIN, bytes("forgotten"));
    channel.txRollback();
    channel.basicPublish("", queue, PLAIN, bytes("kept"));
    channel.txCommit();
    assertThat(amqp.drain(queue)).containsExactly("kept");
  }

  @Test
  void aRollbackDiscardsAcksAndDoesNotRedeliver(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    Channel channel = amqp.channel();
    channel.txSelect();
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    channel.basicAck(tag, false);
    channel.txRollback();
    assertThat(channel.basicGet(queue, false)).as("still held by this channel").isNull();
    channel.basicAck(tag, false);
    channel.txCommit();
    channel.close();
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void recoverLeavesMessagesWithUncommittedAcks(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "acked");
    amqp.publish(queue, "held");
    Channel channel = amqp.newChannel();
    channel.txSelect();
    long acked = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    channel.basicGet(queue, false);
    channel.basicAck(acked, false);
    channel.basicRecover(true);
    assertThat(text(channel.basicGet(queue, true).getBody())).isEqualTo("held");
    assertThat(channel.basicGet(queue, true)).isNull();
    channel.txCommit();
    channel.close();
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void acksTakeEffectAtTheCommit(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    Channel channel = amqp.newChannel();
    channel.txSelect();
    long first = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    long second = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    channel.basicAck(first, false);
    channel.txCommit();
    channel.basicAck(second, false);
    channel.close();
    amqp.awaitReady(queue, 1);
    GetResponse left = amqp.channel().basicGet(queue, true);
    assertThat(text(left.getBody())).isEqualTo("b");
    assertThat(left.getEnvelope().isRedeliver()).isTrue();
  }

  @Test
  void aCommitMovesAMessageAtomically(Amqp amqp) throws Exception {
    String from = amqp.queue();
    String to = amqp.queue();
    amqp.publish(from, "a");
    Channel channel = amqp.channel();
    channel.txSelect();
    GetResponse got = channel.basicGet(from, false);
    channel.basicPublish("", to, PLAIN, got.getBody());
    channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    channel.txCommit();
    channel.close();
    assertThat(amqp.drain(to)).containsExactly("a");
    assertThat(amqp.drain(from)).isEmpty();
  }

  @Test
  void aClosedChannelRollsBack(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.newChannel();
    channel.txSelect();
    channel.basicPublish("", queue, PLAIN, bytes("forgotten"));
    channel.close();
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void mandatoryMessagesAreReturnedAtTheCommit(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    BlockingQueue<String> returned = new LinkedBlockingQueue<>();
    channel.addReturnListener(message -> returned.add(text(message.getBody())));
    channel.txSelect();
    channel.basicPublish("", "no such queue", true, PLAIN, bytes("a"));
    String gone = amqp.queue();
    channel.basicPublish("", gone, true, PLAIN, bytes("b"));
    channel.queueDelete(gone);
    channel.txCommit();
    assertThat(returned.poll(Patience.SECONDS, SECONDS)).isEqualTo("a");
    assertThat(returned.poll(Patience.SECONDS, SECONDS)).as("as its queue has gone").isEqualTo("b");
  }

  @Test
  void aCommitRoutesToAQueueDeclaredAgainAfterThePublish(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.txSelect();
    channel.basicPublish("", queue, PLAIN, bytes("a"));
    channel.queueDelete(queue);
    amqp.queue(queue, Map.of());
    channel.txCommit();
    assertThat(amqp.drain(queue)).containsExactly("a");
  }

  @Test
  void anUnknownDeliveryTagFailsImmediately(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    channel.txSelect();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - unknown delivery tag 7",
        () -> channel.basicAck(7, false));
  }

  @Test
  void commitAndRollbackNeedATransaction(Amqp amqp) throws Exception {
    Channel commit = amqp.newChannel();
    assertChannelError(
        commit, 406, "PRECONDITION_FAILED - channel is not transactional", commit::txCommit);
    Channel rollback = amqp.newChannel();
    assertChannelError(
        rollback, 406, "PRECONDITION_FAILED - channel is not transactional", rollback::txRollback);
  }
}
