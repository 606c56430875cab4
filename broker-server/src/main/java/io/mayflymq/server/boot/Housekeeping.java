package io.mayflymq.server.boot;

import io.mayflymq.core.vhost.Broker;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has queues that are not used give memory back, every half minute. On a thread of its own, as it
 * makes a list of all queues, for which no shard should have to stop.
 */
final class Housekeeping implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Housekeeping.class);
  private static final long REST_SECONDS = 30;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "housekeeping");
            created.setDaemon(true);
            return created;
          });

  private Housekeeping() {}

  static Housekeeping start(Broker broker) {
    Housekeeping housekeeping = new Housekeeping();
    housekeeping.thread.scheduleWithFixedDelay(
        () -> letRest(broker), REST_SECONDS, REST_SECONDS, TimeUnit.SECONDS);
    return housekeeping;
  }

  private static void letRest(Broker broker) {
    try {
      broker.rest();
    } catch (RuntimeException e) {
      // Were it thrown, nothing would ever be given back again.
      LOGGER.error("queues at rest could not give memory back", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
