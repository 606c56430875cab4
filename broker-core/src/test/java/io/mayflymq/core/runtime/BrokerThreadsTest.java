package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BrokerThreadsTest {
  private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();
  private final Faults faults = new LoggedFaults((what, cause) -> ended.add(what + ": " + cause));
  private final BrokerThreads threads = new BrokerThreads(faults);

  private String ended() throws InterruptedException {
    return ended.poll(60, TimeUnit.SECONDS);
  }

  private static void fail() {
    throw new IllegalStateException("no");
  }

  @Test
  void failingEssentialThreadEndsTheProcess() throws Exception {
    Thread thread = threads.essential("metadata", BrokerThreadsTest::fail);
    thread.start();
    thread.join();
    assertThat(ended()).isEqualTo("thread metadata: java.lang.IllegalStateException: no");
  }

  @Test
  void failingTaskOfAnEssentialPoolEndsTheProcess() throws Exception {
    ExecutorService pool = threads.essentialPool("message log 0", 2);
    pool.execute(
        () -> {
          throw new AssertionError("never");
        });
    assertThat(ended()).isEqualTo("thread message log 0: java.lang.AssertionError: never");
    pool.shutdown();
  }

  @Test
  void failingAuxiliaryThreadIsCountedAsAFault() throws Exception {
    Thread thread = threads.auxiliary("stop", BrokerThreadsTest::fail);
    thread.start();
    thread.join();
    assertThat(faults.containedCount()).isEqualTo(1);
    assertThat(ended).isEmpty();
  }

  @Test
  void outOfMemoryInAnAuxiliaryThreadEndsTheProcess() throws Exception {
    Thread thread =
        threads.auxiliary(
            "stop",
            () -> {
              throw new OutOfMemoryError();
            });
    thread.start();
    assertThat(ended()).contains("OutOfMemoryError");
  }

  @Test
  void periodicWorkContinuesAfterAnException() throws Exception {
    CountDownLatch again = new CountDownLatch(4);
    CountDownLatch atARate = new CountDownLatch(4);
    AtomicInteger soon = new AtomicInteger();
    try (PeriodicWork work = threads.periodic("monitors")) {
      work.soon(
          "something",
          () -> {
            soon.incrementAndGet();
            fail();
          });
      work.repeat(
          "something",
          () -> 1,
          () -> {
            again.countDown();
            throw new AssertionError("never");
          });
      work.every(
          "something",
          1,
          () -> {
            atARate.countDown();
            fail();
          });
      assertThat(again.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(atARate.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(soon).hasValue(1);
    assertThat(faults.containedCount()).isGreaterThanOrEqualTo(7);
    assertThat(ended).isEmpty();
  }

  @Test
  void outOfMemoryInPeriodicWorkEndsTheProcess() throws Exception {
    try (PeriodicWork work = threads.periodic("monitors")) {
      work.soon(
          "something",
          () -> {
            throw new OutOfMemoryError();
          });
      assertThat(ended()).isEqualTo("something: java.lang.OutOfMemoryError");
    }
  }

  /** The JDK keeps to itself what is thrown around the work. */
  @Test
  void outOfMemoryWhileReschedulingPeriodicWorkEndsTheProcess() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (PeriodicWork work = threads.periodic("monitors")) {
      work.repeat(
          "something",
          () -> {
            if (asked.getAndIncrement() > 0) {
              throw new OutOfMemoryError();
            }
            return 1;
          },
          () -> {});
      assertThat(ended()).isEqualTo("a task of thread: java.lang.OutOfMemoryError");
    }
  }

  @Test
  void threadsOfAFactoryAreNumbered() {
    var factory = threads.essentials("shard", Thread::new);
    assertThat(List.of(factory.newThread(() -> {}), factory.newThread(() -> {})))
        .allMatch(Thread::isDaemon)
        .extracting(Thread::getName)
        .containsExactly("shard-0", "shard-1");
  }
}
