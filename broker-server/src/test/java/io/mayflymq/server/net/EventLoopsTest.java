package io.mayflymq.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LoggedFaults;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
  private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();
  private final LoggedFaults faults =
      new LoggedFaults((what, cause) -> ended.add(what + ": " + cause));
  private final BrokerThreads threads = new BrokerThreads(faults);

  private static void fail() {
    throw new IllegalStateException("no");
  }

  @Test
  void exceptionOfATaskIsReportedAndTheLoopContinues() throws Exception {
    try (EventLoops loops = new EventLoops(1, threads)) {
      CountDownLatch goesOn = new CountDownLatch(2);
      var loop = loops.all().get(0);
      loop.execute(EventLoopsTest::fail);
      loop.schedule(EventLoopsTest::fail, 1);
      loop.execute(goesOn::countDown);
      loop.schedule(goesOn::countDown, 2);
      assertThat(goesOn.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(faults.containedCount()).isEqualTo(2);
    }
    assertThat(ended).as("closed in order").isEmpty();
  }

  @Test
  void outOfMemoryInATaskEndsTheProcess() throws Exception {
    try (EventLoops loops = new EventLoops(1, threads)) {
      var loop = loops.all().get(0);
      loop.schedule(
          () -> {
            throw new OutOfMemoryError("Java heap space");
          },
          1);
      assertThat(ended.poll(60, TimeUnit.SECONDS)).contains("OutOfMemoryError");
    }
  }

  @Test
  void eventLoopThatEndsUnexpectedlyEndsTheProcess() throws Exception {
    EventLoops loops = new EventLoops(2, threads);
    loops.all().get(0).execute(() -> {});
    loops.group().iterator().next().shutdownGracefully(0, 0, TimeUnit.SECONDS);
    assertThat(ended.poll(60, TimeUnit.SECONDS)).startsWith("thread shard-");
    loops.close();
  }
}
