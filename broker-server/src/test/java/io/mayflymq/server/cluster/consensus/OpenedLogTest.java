package io.mayflymq.server.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ratis.util.AwaitToRun;
import org.junit.jupiter.api.Test;

class OpenedLogTest {
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final AtomicBoolean wasClosedBefore = new AtomicBoolean();

  private void evict() {
    lock.lock();
    try {
      wasClosedBefore.set(isClosed.get());
    } finally {
      lock.unlock();
    }
  }

  /** Closes as Ratis's log does, while its other thread waits for the lock. */
  private void close() {
    AwaitToRun eviction = new AwaitToRun("eviction", this::evict).start();
    lock.lock();
    try {
      while (!lock.hasQueuedThreads()) {
        eviction.signal();
        Thread.onSpinWait();
      }
      eviction.close();
      isClosed.set(true);
    } finally {
      lock.unlock();
    }
  }

  @Test
  void closeEndsThoughTheThreadThatItWaitsForWaitsForItsLock() {
    try (ConsensusThreads threads = new ConsensusThreads(new BrokerThreads(Faults.logged()))) {
      OpenedLog.close(this::close, threads);
      assertThat(isClosed).isTrue();
      await().untilTrue(wasClosedBefore);
    }
  }

  @Test
  void closeIsWaitedFor() {
    try (ConsensusThreads threads = new ConsensusThreads(new BrokerThreads(Faults.logged()))) {
      OpenedLog.close(() -> isClosed.set(true), threads);
      assertThat(isClosed).isTrue();
    }
  }
}
