package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Measures messages that pass through a queue in memory, in bursts; the operation is one message,
 * from publish to its last settlement.
 */
public class QueuePassage extends Measured {
  private static final int BURST = 256;
  private static final int MINUTE = 60_000;

  /** What kinds of queue and message there are. */
  public enum Kind {
    /** A queue without arguments. */
    PLAIN,
    /** A queue with {@code x-message-ttl}. */
    QUEUE_TTL,
    /** Messages with {@code expiration}. */
    MESSAGE_TTL,
    /** A queue with {@code x-max-length}, which is not reached. */
    MAX_LENGTH;

    private QueueSettings settings() {
      return switch (this) {
        case PLAIN, MESSAGE_TTL -> QueueSettings.DEFAULT;
        case QUEUE_TTL -> QueueValues.NONE.with(PolicyKey.MESSAGE_TTL, MINUTE).settings();
        case MAX_LENGTH -> QueueValues.NONE.with(PolicyKey.MAX_LENGTH, 1_000_000).settings();
      };
    }

    private long ttlMillis() {
      return this == MESSAGE_TTL ? MINUTE : Message.NO_TTL;
    }
  }

  @Param Kind kind;

  private Message message;
  private QueueHarness direct;
  private QueueHarness acknowledged;
  private QueueHarness waiting;
  private QueueHarness waitingAcknowledged;
  private long now = QueueHarness.START;

  /** Makes the queues. */
  @Setup
  public void declare() {
    message = Messages.message(Messages.PERSISTENT, 100, kind.ttlMillis());
    direct = queue(false);
    acknowledged = queue(true);
    waiting = queue(false);
    waitingAcknowledged = queue(true);
  }

  private QueueHarness queue(boolean acknowledges) {
    QueueHarness queue = new QueueHarness(kind.settings(), acknowledges);
    queue.machine.subscribe(queue.consumer, now);
    return queue;
  }

  /** Publishes to a waiting consumer without acknowledgements: nothing is stored. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long straight() {
    direct.makeRoom(BURST, ++now);
    publish(direct);
    return direct.delivered;
  }

  /** Publishes to a waiting consumer, which acknowledges the whole burst at once. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long straightAcknowledged() {
    acknowledged.makeRoom(BURST, ++now);
    publish(acknowledged);
    return settle(acknowledged);
  }

  /** Stores the burst, then delivers it without acknowledgements. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long stored() {
    publish(waiting);
    waiting.makeRoom(BURST, ++now);
    return waiting.delivered;
  }

  /** Stores the burst, then delivers it, then acknowledges it. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long storedAcknowledged() {
    publish(waitingAcknowledged);
    waitingAcknowledged.makeRoom(BURST, ++now);
    return settle(waitingAcknowledged);
  }

  private void publish(QueueHarness queue) {
    for (int i = 0; i < BURST; i++) {
      queue.machine.publish(message, now);
    }
  }

  private long settle(QueueHarness queue) {
    long to = queue.lastSequence;
    queue.machine.acknowledge(queue.consumer, to - BURST + 1, to, now);
    return queue.delivered;
  }
}
