package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.protocol.types.BasicProperties;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Measures a queue in memory whose messages have priorities, beside the same one whose messages
 * have none; the operation is one message, from publish to its delivery.
 */
public class Priorities extends Measured {
  private static final int BURST = 256;
  private static final int MANY = 1_000_000;
  private static final int DIFFERENT = 4096;

  /** Which queue, and which priorities its messages have. */
  public enum Kind {
    /** A classic queue without priorities. */
    CLASSIC(0),
    /** A classic queue with ten priorities, all of which occur. */
    CLASSIC_MIXED(10),
    /** A quorum queue whose messages have no priority. */
    QUORUM(0),
    /** A quorum queue with messages of all priorities. */
    QUORUM_MIXED(32);

    private final int priorities;

    Kind(int priorities) {
      this.priorities = priorities;
    }

    private QueueSettings settings() {
      return switch (this) {
        case CLASSIC -> QueueSettings.DEFAULT;
        case CLASSIC_MIXED -> QueueValues.NONE.withMaxPriority(priorities - 1).settings();
        case QUORUM, QUORUM_MIXED -> QueueValues.NONE.of(QueueType.QUORUM).settings();
      };
    }

    private Message message(Random random) {
      Message plain = Messages.message(Messages.PERSISTENT, 100, Message.NO_TTL);
      if (priorities == 0) {
        return plain;
      }
      int priority = random.nextInt(priorities);
      byte[] content =
          Messages.content(
              BasicProperties.builder().deliveryMode(2).priority(priority).build(), 100);
      return new Message(
          plain.exchange(),
          plain.routingKey(),
          content,
          content.length - 100,
          Message.NO_TTL,
          priority,
          true,
          List.of());
    }
  }

  @Param Kind kind;

  @Param({"0", "1000000"})
  int backlog;

  private final Message[] messages = new Message[DIFFERENT];
  private QueueHarness queue;
  private QueueHarness emptied;
  private int next;
  private long now = QueueHarness.START;

  /** Makes the queues. */
  @Setup
  public void declare() {
    Random random = new Random(1);
    for (int i = 0; i < DIFFERENT; i++) {
      messages[i] = kind.message(random);
    }
    queue = new QueueHarness(kind.settings(), false);
    queue.machine.subscribe(queue.consumer, now);
    publish(queue, backlog);
    emptied = new QueueHarness(kind.settings(), false);
    emptied.machine.subscribe(emptied.consumer, now);
  }

  /** Publishes a burst to a queue with a backlog, and delivers as many. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long passage() {
    publish(queue, BURST);
    queue.makeRoom(BURST, ++now);
    return queue.delivered;
  }

  /** Publishes very many messages, and then delivers all of them. */
  @Benchmark
  @OperationsPerInvocation(MANY)
  public long fillAndDrain() {
    publish(emptied, MANY);
    emptied.makeRoom(MANY, ++now);
    return emptied.delivered;
  }

  private void publish(QueueHarness to, int count) {
    for (int i = 0; i < count; i++) {
      to.machine.publish(messages[next++ & (DIFFERENT - 1)], now);
    }
  }
}
