package io.mayflymq.server.management;

import io.mayflymq.core.vhost.Broker;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Samples all counters every few seconds, for the rates, on a thread of its own. */
final class StatisticsSampler implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(StatisticsSampler.class);

  private final Broker broker;
  private final long intervalNanos;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "statistics");
            created.setDaemon(true);
            return created;
          });
  private long previousNanos;

  private StatisticsSampler(Broker broker, long intervalMillis) {
    this.broker = broker;
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
  }

  static StatisticsSampler start(Broker broker, long intervalMillis) {
    StatisticsSampler sampler = new StatisticsSampler(broker, intervalMillis);
    sampler.previousNanos = System.nanoTime();
    sampler.thread.scheduleAtFixedRate(
        sampler::sample, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    return sampler;
  }

  private void sample() {
    try {
      long now = System.nanoTime();
      long since = now - previousNanos > 0 ? now - previousNanos : intervalNanos;
      previousNanos = now;
      broker.churn().sample(now, since);
      broker.virtualHosts().forEach(vhost -> vhost.metrics().sample(now, since));
    } catch (RuntimeException e) {
      // Were it thrown, nothing would ever be sampled again.
      LOGGER.error("cannot sample the statistics", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
