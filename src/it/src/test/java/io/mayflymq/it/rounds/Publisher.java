package io.mayflymq.it.rounds;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Publishes persistent messages into several queues, in bursts, with a window of confirms. */
final class Publisher extends Traffic {
  private static final int WINDOW = 1_000;

  /**
   * How to publish.
   *
   * @param burst messages for each queue, one after the other
   * @param pauseMillis after a burst for each of the queues
   * @param expireWithinMillis all messages of a burst expire together, by their own expiration,
   *     within at most this time; 0 for no expiration
   */
  record Manner(int burst, long pauseMillis, int expireWithinMillis) {}

  private record Pending(ExpectedMessages ledger, long id) {}

  private final Channel channel;
  private final List<Stream> streams;
  private final Manner manner;
  private final Random random;
  private final Semaphore window = new Semaphore(WINDOW);
  private final ConcurrentNavigableMap<Long, Pending> pending = new ConcurrentSkipListMap<>();

  Publisher(Connection connection, List<Stream> streams, Manner manner, Random random)
      throws IOException {
    super("publisher into " + streams.get(0).queue() + " ...");
    this.streams = streams;
    this.manner = manner;
    this.random = random;
    channel = connection.createChannel();
    channel.confirmSelect();
    channel.addConfirmListener(
        (tag, multiple) -> finished(tag, multiple, true),
        (tag, multiple) -> finished(tag, multiple, false));
  }

  private void finished(long tag, boolean multiple, boolean confirmed) {
    var finished = multiple ? pending.headMap(tag, true) : pending.subMap(tag, true, tag, true);
    int count = 0;
    for (Pending message : finished.values()) {
      if (confirmed) {
        message.ledger.confirmed(message.id);
      }
      count++;
    }
    finished.clear();
    window.release(count);
  }

  @Override
  void work() throws IOException, InterruptedException {
    while (true) {
      long deadline =
          System.currentTimeMillis() + random.nextInt(Math.max(1, manner.expireWithinMillis));
      for (Stream stream : streams) {
        for (int i = 0; i < manner.burst; i++) {
          publish(stream, properties(deadline));
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(manner.pauseMillis));
    }
  }

  private BasicProperties properties(long deadline) {
    if (manner.expireWithinMillis == 0) {
      return RestartedBroker.PERSISTENT;
    }
    long left = Math.max(0, deadline - System.currentTimeMillis());
    return RestartedBroker.PERSISTENT.builder().expiration(Long.toString(left)).build();
  }

  private void publish(Stream stream, BasicProperties properties)
      throws IOException, InterruptedException {
    while (!window.tryAcquire(100, TimeUnit.MILLISECONDS)) {
      // A killed broker sends no confirm; the next method fails.
      channel.basicQos(0);
    }
    long id = stream.nextId();
    stream.ledger().publishing(id);
    pending.put(channel.getNextPublishSeqNo(), new Pending(stream.ledger(), id));
    channel.basicPublish("", stream.queue(), properties, Stream.body(id, random));
  }
}
