package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.util.HashSet;
import java.util.List;

/** Reads all messages of a queue that has neither publishers nor consumers. */
final class QueueReader {
  private QueueReader() {}

  /**
   * Reads a queue by way of a node, compares, and acknowledges the first messages.
   *
   * @param fault the {@link System#nanoTime} at which the fault began
   * @return what is wrong; empty if nothing is
   */
  static List<String> read(BrokerProcess node, MessageLedger queue, long fault) throws Exception {
    Connection connection = node.factory().newConnection("reader");
    try {
      QueueReading reading = new QueueReading(connection, queue);
      long end = System.nanoTime() + Patience.TIME.toNanos();
      boolean complete = false;
      while (!complete && System.nanoTime() < end) {
        Time.pass(10);
        complete = reading.isAtEnd() && !queue.lacks(new HashSet<>(reading.found()));
      }
      List<String> wrong = queue.check(reading.found(), fault);
      reading.acknowledge();
      return wrong;
    } finally {
      connection.close();
    }
  }
}
