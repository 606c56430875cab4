package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A million messages that wait for their own deadlines and die of them, none of which is consumed;
 * the operation is all of them.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class Expiry extends Measured {
  private static final int HOUR = 3_600_000;

  /** In which order the messages of a queue are due. */
  public enum Order {
    /** As they came: the head is always due first. */
    QUEUE_ORDER,
    /** Any: most of them have to be looked for. */
    RANDOM
  }

  @Param Order order;

  @Param("1000000")
  int messages;

  private Message[] published;

  /** Makes messages whose deadlines spread over an hour. */
  @Setup
  public void make() {
    SplittableRandom random = new SplittableRandom(42);
    published = new Message[messages];
    for (int i = 0; i < messages; i++) {
      long ttl =
          order == Order.RANDOM ? random.nextInt(HOUR) : (long) ((double) i / messages * HOUR);
      published[i] = Messages.message(Messages.PERSISTENT, 16, ttl + 1);
    }
  }

  /** Publishes them to a queue without a consumer. */
  @Benchmark
  public QueueHarness publish() {
    return filled();
  }

  private QueueHarness filled() {
    QueueHarness queue = new QueueHarness(QueueSettings.DEFAULT, true);
    for (Message message : published) {
      queue.machine.publish(message, QueueHarness.START);
    }
    return queue;
  }

  /** Queues for {@link #expire}. */
  @State(Scope.Thread)
  public static class Full {
    private QueueHarness queue;

    /** Fills a queue for each time. */
    @Setup(Level.Invocation)
    public void fill(Expiry expiry) {
      queue = expiry.filled();
    }
  }

  /** Lets the hour pass, from one deadline to the next. */
  @Benchmark
  public long expire(Full full) {
    QueueHarness queue = full.queue;
    while (queue.died < messages) {
      queue.machine.onTimer(queue.timerAt);
    }
    return queue.died;
  }
}
