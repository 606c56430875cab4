package io.mayflymq.server.boot;

import io.mayflymq.core.vhost.Broker;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has memory given back that is not used: by queues every half minute, and by Java. On a thread of
 * its own, as it makes a list of all queues, for which no shard should have to stop.
 */
final class Housekeeping implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Housekeeping.class);
  private static final long REST_SECONDS = 30;
  private static final long LOOK_SECONDS = 5;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "housekeeping");
            created.setDaemon(true);
            return created;
          });

  private Housekeeping() {}

  static Housekeeping start(Broker broker, HeapThrift heap) {
    Housekeeping housekeeping = new Housekeeping();
    housekeeping.every(REST_SECONDS, broker::rest);
    housekeeping.every(LOOK_SECONDS, heap::look);
    return housekeeping;
  }

  private void every(long seconds, Runnable work) {
    thread.scheduleWithFixedDelay(() -> safely(work), seconds, seconds, TimeUnit.SECONDS);
  }

  private static void safely(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      // Were it thrown, nothing would ever be given back again.
      LOGGER.error("memory that is not used could not be given back", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
