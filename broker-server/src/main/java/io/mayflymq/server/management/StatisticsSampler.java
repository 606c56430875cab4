package io.mayflymq.server.management;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.vhost.Broker;
import java.util.concurrent.TimeUnit;

/** Samples all counters every few seconds, for the rates, on a thread of its own. */
final class StatisticsSampler implements AutoCloseable {
  private final Broker broker;
  private final long intervalNanos;
  private final PeriodicWork thread;
  private long previousNanos;

  private StatisticsSampler(Broker broker, long intervalMillis, PeriodicWork thread) {
    this.broker = broker;
    this.thread = thread;
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
  }

  static StatisticsSampler start(Broker broker, long intervalMillis, BrokerThreads threads) {
    StatisticsSampler sampler =
        new StatisticsSampler(broker, intervalMillis, threads.periodic("statistics"));
    sampler.previousNanos = System.nanoTime();
    sampler.thread.every("sampling the statistics", intervalMillis, sampler::sample);
    return sampler;
  }

  private void sample() {
    long now = System.nanoTime();
    long since = now - previousNanos > 0 ? now - previousNanos : intervalNanos;
    previousNanos = now;
    broker.churn().sample(now, since);
    broker.virtualHosts().forEach(vhost -> vhost.metrics().sample(now, since));
  }

  @Override
  public void close() {
    thread.close();
  }
}
