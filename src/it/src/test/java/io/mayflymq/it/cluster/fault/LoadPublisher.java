package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import io.mayflymq.it.rounds.Stream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Publishes persistent messages with confirms to queues of all nodes. */
public final class LoadPublisher extends LoadClient {
  private static final int BURST = 4;
  private static final int WINDOW = 300;
  private static final int PAUSE_MILLIS = 20;
  private static final AtomicLong STREAMS = new AtomicLong(1);

  private record Pending(Ledger ledger, long id) {}

  private final List<? extends Ledger> queues;
  private final Random random;

  /** Creates one for these queues. */
  public LoadPublisher(FaultBench bench, int node, List<? extends Ledger> queues, Random random) {
    super("publisher", bench, node);
    this.queues = queues;
    this.random = random;
  }

  @Override
  void work(Connection connection) throws IOException {
    // The order of messages is that of one channel.
    long stream = STREAMS.getAndIncrement();
    long sequence = 0;
    ConcurrentNavigableMap<Long, Pending> pending = new ConcurrentSkipListMap<>();
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.addConfirmListener(
        (tag, multiple) -> finished(pending, tag, multiple, true),
        (tag, multiple) -> finished(pending, tag, multiple, false));
    while (!stopping()) {
      for (Ledger queue : queues) {
        for (int i = 0; i < BURST; i++) {
          long id = Stream.id(stream, sequence++);
          queue.publishing(id, client());
          pending.put(channel.getNextPublishSeqNo(), new Pending(queue, id));
          channel.basicPublish("", queue.queue(), queue.properties(id), Stream.body(id, random));
        }
      }
      Time.pass(PAUSE_MILLIS);
      while (pending.size() > WINDOW && channel.isOpen() && !stopping()) {
        Time.pass(1);
      }
    }
    awaitAnswers(channel, pending);
  }

  /** What was published is answered once the fault is over, unless its channel has ended. */
  private void awaitAnswers(Channel channel, ConcurrentNavigableMap<Long, Pending> pending) {
    long end = System.nanoTime() + Patience.TIME.toNanos();
    while (!pending.isEmpty() && channel.isOpen()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "%d messages are neither confirmed nor refused, the first one for %s"
                .formatted(pending.size(), pending.firstEntry().getValue().ledger().queue()));
      }
      Time.pass(1);
    }
    if (!channel.isOpen()) {
      lost(channel.getCloseReason().toString());
    }
  }

  private static void finished(
      ConcurrentNavigableMap<Long, Pending> pending, long tag, boolean multiple, boolean ack) {
    var finished = multiple ? pending.headMap(tag, true) : pending.subMap(tag, true, tag, true);
    finished
        .values()
        .forEach(
            message -> {
              if (ack) {
                message.ledger().confirmed(message.id());
              } else {
                message.ledger().refused(message.id());
              }
            });
    finished.clear();
  }
}
