package io.mayflymq.it.cluster.quorum;

import com.rabbitmq.client.Connection;
import io.mayflymq.it.cluster.fault.QueueReading;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads all messages of a family that has neither publishers nor consumers. */
final class FamilyReader {
  private FamilyReader() {}

  /**
   * Reads a family by way of a node, compares, and acknowledges the first messages.
   *
   * @param fault the {@link System#nanoTime} at which the fault began
   * @return what is wrong; empty if nothing is
   */
  static List<String> read(BrokerProcess node, Family family, long fault) throws Exception {
    Connection connection = node.factory().newConnection("reader");
    try {
      List<QueueReading> readings = new ArrayList<>();
      readings.add(new QueueReading(connection, family.queue()));
      if (family.deadLetters() != null) {
        readings.add(new QueueReading(connection, family.deadLetters()));
      }
      long end = System.nanoTime() + Patience.TIME.toNanos();
      boolean complete = false;
      while (!complete && System.nanoTime() < end) {
        Time.pass(10);
        boolean allAtEnd = true;
        for (QueueReading reading : readings) {
          allAtEnd &= reading.isAtEnd();
        }
        complete = allAtEnd && !family.lacks(all(readings));
      }
      List<Long> dead = readings.size() == 1 ? List.of() : readings.get(1).found();
      List<String> wrong = family.check(readings.get(0).found(), dead, fault);
      family.takeAsTruth(all(readings));
      for (QueueReading reading : readings) {
        reading.acknowledge();
      }
      return wrong;
    } finally {
      connection.close();
    }
  }

  private static Set<Long> all(List<QueueReading> readings) {
    Set<Long> all = new HashSet<>();
    readings.forEach(reading -> all.addAll(reading.found()));
    return all;
  }
}
