package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.memory.HeapTrimmer;
import java.util.concurrent.TimeUnit;

/**
 * Releases unused memory: of queues every half minute, and of Java. It runs on its own thread, as
 * it lists all queues, which must not delay a shard.
 */
final class Housekeeping implements AutoCloseable {
  private static final long REST_MILLIS = TimeUnit.SECONDS.toMillis(30);
  private static final long LOOK_MILLIS = TimeUnit.SECONDS.toMillis(5);

  private final PeriodicWork thread;

  private Housekeeping(PeriodicWork thread) {
    this.thread = thread;
  }

  static Housekeeping start(Broker broker, HeapTrimmer heap, BrokerThreads threads) {
    PeriodicWork thread = threads.periodic("housekeeping");
    thread.repeat("giving back the memory of queues", () -> REST_MILLIS, broker::trimMemory);
    thread.repeat("giving back the memory of Java", () -> LOOK_MILLIS, heap::look);
    return new Housekeeping(thread);
  }

  @Override
  public void close() {
    thread.close();
  }
}
