package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueValues;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;

/** A queue that is full, where each message that comes drives out the oldest. */
public class LengthLimits extends Measured {
  private static final int BURST = 256;
  private static final int LENGTH = 10_000;

  private final Message message = Messages.message(Messages.PERSISTENT, 100, Message.NO_TTL);
  private QueueHarness queue;

  /** Fills the queue. */
  @Setup
  public void fill() {
    queue = new QueueHarness(QueueValues.NONE.with(PolicyKey.MAX_LENGTH, LENGTH).settings(), true);
    for (int i = 0; i < LENGTH; i++) {
      queue.machine.publish(message, QueueHarness.START);
    }
  }

  /** Publishes to it. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public long dropHead() {
    for (int i = 0; i < BURST; i++) {
      queue.machine.publish(message, QueueHarness.START);
    }
    return queue.died;
  }
}
